import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, test } from "node:test";
import { RefusedError } from "../../../lib/notify/events/refused-error.ts";
import { listAsked, sendNews, sendRefusal } from "../../../lib/notify/events/send-news.ts";
import type { TaskContract } from "../../../lib/task/load-contract.ts";
import type { PassReport, PassRequest } from "../../../lib/task/request.ts";
import { configError } from "../../../lib/text/errors.ts";
import { decisionsFile, eventsAt, openQuestion } from "../../cli/task-states.ts";
import { type Held, holdTask, noon } from "../../pass/verdict/arrange.ts";
import { receive, target } from "../arrange.ts";

const configOf = (webhookUrl: string | null) =>
  ({ config: { notify: target({ webhookUrl }) }, contract: { title: "A title" } }) as unknown as TaskContract;

describe("the open questions", () => {
  test("are told with their place and the page that edits them", async (t) => {
    const files = { "DECISIONS.md": `${decisionsFile("UTF-8")}\n${openQuestion.replace("Q1", "Q2")}` };
    const { session } = await holdTask(t, "shape", { files });
    assert.deepEqual(await listAsked(session.place, async () => "https://edit.example/"), [
      {
        ...{ id: "Q2", title: "Which encoding?", question: "Which encoding does the export have?" },
        ...{ options: "UTF-8 or Latin-1", deadline: "", safe_default: "" },
        ...{ place: "DECISIONS.md:10", edit_url: "https://edit.example/" },
      },
    ]);
  });

  test("are none if all are answered or the file cannot be read, and then the page is not looked for", async (t) => {
    const { session, task } = await holdTask(t, "shape", { files: { "DECISIONS.md": decisionsFile("UTF-8") } });
    const find = () => assert.fail("it is looked for");
    assert.deepEqual(await listAsked(session.place, find), []);
    task.write("DECISIONS.md", "\0");
    assert.deepEqual(await listAsked(session.place, find), []);
    rmSync(session.place.decisions);
    assert.deepEqual(await listAsked(session.place, find), []);
  });
});

describe("the effect of a call", () => {
  const send = async ({ session }: Held, webhook: string | null, findEditor: () => Promise<string | null>) => {
    const { place, journal, ports } = session;
    const report = {
      evidence: { path: null },
      exit_name: "ok",
      details: { taskDir: place.taskDir },
    } as unknown as PassReport;
    return await sendNews(configOf(webhook), report, { place, events: journal.events, findEditor }, ports);
  };

  test("is told to the webhook with what is asked, and to none if there is none", async (t) => {
    const there = await receive(t, 200);
    const held = await holdTask(t, "needs_user_decision", {
      files: { "DECISIONS.md": openQuestion },
      events: (place) => eventsAt("needs_user_decision", place, { open_questions: ["Q1"] }),
    });
    assert.deepEqual(await send(held, null, () => assert.fail("it is looked for")), []);
    assert.deepEqual(await send(held, there.origin, async () => null), []);
    const [body] = there.received.map((one) => JSON.parse(one.body));
    assert.deepEqual(
      [there.received.length, body.event, body.asked.map(({ id }: { id: string }) => id)],
      [1, "task.needs_user_decision", ["Q1"]],
    );
  });

  test("stays valid if the host of the questions cannot be asked, and a defect is thrown on", async (t) => {
    const there = await receive(t, 200);
    const held = await holdTask(t, "needs_user_decision", { files: { "DECISIONS.md": openQuestion } });
    const fail = (error: Error) => () => Promise.reject(error);
    assert.deepEqual(await send(held, there.origin, fail(configError("TP_GIT", "no git"))), []);
    await assert.rejects(send(held, there.origin, fail(new RangeError("a defect"))), RangeError);
    assert.equal(there.received.length, 0);
  });
});

describe("a refusal of a task", () => {
  const wrong = configError("TP_NO_CHECK", "there is no check");
  const refused = (webhook: string | null, isNews = true) =>
    new RefusedError(wrong, webhook === null ? null : configOf(webhook), { at: noon, isNews });
  const tell = async ({ session }: Held, error: unknown) =>
    await sendRefusal(error, { place: session.place, request: { config: null } as PassRequest }, session.ports);

  test("is told if it is news, and ends the call as it is", async (t) => {
    const there = await receive(t, 200);
    const held = await holdTask(t, "shape");
    for (const error of [new Error("another"), wrong, refused(there.origin, false), refused(there.origin)])
      assert.equal(await tell(held, error), error);
    assert.equal(there.received.length, 1);
    assert.match(there.received[0]?.body ?? "", /there is no check/);
  });

  test("that cannot be told gets the warning of the webhook", async (t) => {
    const there = await receive(t, 404);
    const error = await tell(await holdTask(t, "shape"), refused(there.origin));
    assert.ok(error instanceof Error && "findings" in error);
    const findings = error.findings as readonly { code: string }[];
    assert.deepEqual(
      findings.map(({ code }) => code),
      ["TP_NO_CHECK", "TP_NOTIFY_FAILED"],
    );
  });

  test("is told where task-phase.yaml says if the brief is wrong, and nowhere if that is wrong too", async (t) => {
    const there = await receive(t, 200);
    const held = await holdTask(t, "shape");
    const { task } = held;
    task.write("../task-phase.yaml", `notify: { webhook: "${there.origin}" }\n`);
    await tell(held, refused(null));
    task.write("../task-phase.yaml", "x: y\n");
    const error = refused(null);
    assert.equal(await tell(held, error), error);
    assert.equal(there.received.length, 1);
  });
});

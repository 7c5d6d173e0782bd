import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { judgeHandEdit } from "../../../lib/pass/people/judge-hand-edit.ts";
import { eventsAt, fieldOf, withFields } from "../../cli/task-states.ts";
import { mustRead } from "../../documents/arrange.ts";
import { checkRun, policy } from "../../rules/arrange.ts";
import { type Held, holdTask, noon } from "../verdict/arrange.ts";

const token = `ghp_${"a1B2".repeat(9)}`;

/** A person's edit of these fields is judged; no gate of it looks at the repo. */
async function edit(held: Held, values: Readonly<Record<string, string>>, retype = (text: string) => text) {
  const { task, session } = held;
  const accepted = mustRead(task.state());
  task.edit(values);
  task.write("STATE.md", retype(task.state()));
  const parts = { contract: {}, policy: policy(), sha256: "c", steps: [], questions: [] };
  const input = { repo: `${task.folder}/repo`, task: parts } as unknown as Parameters<typeof judgeHandEdit>[3];
  const judged = await judgeHandEdit(session, accepted, mustRead(task.state()), input);
  return { judged, event: session.journal.events.at(-1), state: task.state() };
}

const fields = (state: string, ...labels: string[]) => labels.map((label) => fieldOf(state, label));

describe("a person's edit of STATE.md", () => {
  test("is accepted with the runner's values, and named in the journal", async (t) => {
    const held = await holdTask(t, "shape");
    const values = { Objective: "mine", "Validator status": "pass", "Evidence link": "[x](y)" };
    const { judged, event, state } = await edit(held, values);
    assert.equal(judged.kind, "settled");
    assert.deepEqual(
      [
        ...fields(state, "Objective", "Validator status", "Evidence link", "Last updated"),
        event?.type === "state_edited" ? [event.reopened, event.overridden, event.from, event.to] : null,
      ],
      ["mine", "pending", "", noon, [false, ["Evidence link", "Validator status"], "shape", "shape"]],
    );
    assert.deepEqual(
      held.session.findings.map(({ code, message }) => `${code}: ${message}`),
      ["TP_STATE_EDITED: STATE.md was edited by hand; accepted"],
    );
  });

  test("is refused if the table does not allow it: the accepted file is restored, and the edit is kept", async (t) => {
    const held = await holdTask(t, "shape");
    const before = held.task.state();
    const { judged, event, state } = await edit(held, { Phase: "done", Objective: "mine" });
    const kept = "artifacts/passes/refused/0003-STATE.md";
    const reason = "only the runner sets done, with proof; set `review` and let a pass propose it";
    assert.deepEqual(judged.kind === "stopped" ? [judged.exitName, judged.reason, judged.from] : [], [
      "rejected",
      `the hand edit of STATE.md is refused: ${reason}. The edited file is kept at ${kept}`,
      "shape",
    ]);
    assert.deepEqual(event, { type: "edit_refused", at: noon, from: "shape", to: "done", reason, kept });
    assert.equal(state, before);
    assert.equal(held.task.read(kept), withFields(before, { Phase: "done", Objective: "mine" }));
  });

  test("is refused if it only puts an earlier text back that moves the task or ends a hold, as git stash does", async (t) => {
    const earlier = (phase: string) =>
      `it is, byte for byte, an earlier one (${phase}), as after git stash or reset; if you mean that, edit the restored one`;
    const stopped = await holdTask(t, "blocked");
    const { state: reopened } = await edit(stopped, { Phase: "implement" });
    const { state: blocked } = await edit(stopped, { Phase: "blocked", Blockers: "no licence" });
    const { judged, event, state } = await edit(stopped, {}, () => reopened);
    assert.equal(event?.type === "edit_refused" ? event.reason : "", earlier("implement"));
    assert.deepEqual([judged.kind, state], ["stopped", blocked]);
    const held = await holdTask(t, "intake");
    const first = held.task.state();
    const { state: noted } = await edit(held, { Objective: "mine", Blockers: "all are spent" });
    const stop = { cause: "passes", blockers: "all are spent", question: null, happened: "h" } as const;
    held.session.history = { ...held.session.history, stop };
    const cleared = await edit(held, {}, () => first);
    assert.equal(cleared.event?.type === "edit_refused" ? cleared.event.reason : "", earlier("intake"));
    assert.deepEqual([cleared.judged.kind, cleared.state], ["stopped", noted]);
  });

  test("is taken as typed where another keyboard made its marks, and nobody is said to have edited it meanwhile", async (t) => {
    for (const [to, told] of [
      ["shape", ["TP_STATE_EDITED: STATE.md was edited by hand; accepted"]],
      ["done", []],
    ] as const) {
      const held = await holdTask(t, "shape");
      const retype = (text: string) => text.replace("- Phase: shape", `-\u00a0Phase\uff1a${to}`);
      const typed = retype(held.task.state());
      const { state } = await edit(held, {}, retype);
      const said = held.session.findings.map(({ code, message }) => `${code}: ${message}`);
      assert.deepEqual([said, fields(state, "Phase")], [told, ["shape"]]);
      if (to === "done") assert.equal(held.task.read("artifacts/passes/refused/0003-STATE.md"), typed);
    }
  });

  test("to a phase in which nothing runs sets Status to the standing, unless the edit has words of its own", async (t) => {
    for (const [own, expected] of [
      [{}, "blocked: no licence"],
      [{ Status: "we wait for the lawyers" }, "we wait for the lawyers"],
    ] as const) {
      const held = await holdTask(t, "shape");
      const { state } = await edit(held, { Phase: "blocked", Blockers: "no licence", ...own });
      assert.deepEqual(fields(state, "Phase", "Status"), ["blocked", expected]);
    }
  });

  test("is refused if it holds a secret, of which nothing is kept", async (t) => {
    const held = await holdTask(t, "shape");
    const { judged } = await edit(held, { Objective: token });
    assert.match(
      judged.kind === "stopped" ? judged.reason : "",
      /contains what looks like a secret \(github\) in line \d+/,
    );
    assert.match(held.task.read("artifacts/passes/refused/0003-STATE.md"), /Objective: \[redacted:github\]/);
  });

  test("that reopens a blocked task removes the Blockers and Status of the runner, and no others", async (t) => {
    const stop = { cause: "passes", to: "blocked", blockers: "all are spent", question: null } as const;
    const blocked = { Blockers: "all are spent", Status: "blocked: all are spent" };
    const make = (own: boolean) =>
      holdTask(t, "blocked", {
        state: { phase: "blocked", fields: blocked },
        events: (place) => eventsAt("blocked", place, own ? { escalation: stop } : {}),
      });
    const runners = await edit(await make(true), { Phase: "implement" });
    assert.deepEqual(fields(runners.state, "Phase", "Blockers", "Status"), ["implement", "none", "in progress"]);
    assert.equal(runners.event?.type === "state_edited" && runners.event.reopened, true);
    const persons = await edit(await make(false), { Phase: "implement", Status: "mine" });
    assert.deepEqual(fields(persons.state, "Phase", "Blockers", "Status"), ["implement", "all are spent", "mine"]);
    const cleared = await edit(await make(true), { Phase: "implement", Blockers: "no key" });
    assert.deepEqual(fields(cleared.state, "Blockers"), ["no key"]);
  });

  test("that moves a working task is reported with both phases, and with its findings as tickets", async (t) => {
    const held = await holdTask(t, "implement");
    held.task.write("STATE.md", held.task.state());
    const { judged, event } = await edit(held, { Phase: "verify" });
    assert.equal(judged.kind, "settled");
    assert.deepEqual(event?.type === "state_edited" ? [event.from, event.to, event.tickets] : [], [
      "implement",
      "verify",
      [],
    ]);
    assert.match(held.session.findings[0]?.message ?? "", /was set from implement to verify by hand; accepted/);
  });

  test("to review counts the checks of the present brief alone", async (t) => {
    const held = await holdTask(t, "verify", {
      events: async (place) => [...(await eventsAt("verify", place)), { type: "pinned", at: noon, protected: {} }],
    });
    held.session.history = { ...held.session.history, checks: checkRun() };
    const { judged } = await edit(held, { Phase: "review" });
    assert.match(judged.kind === "stopped" ? judged.reason : "", /validators and scenarios have not run/);
  });
});

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { goOnTitle } from "../../../lib/documents/decisions.ts";
import { writePages } from "../../../lib/pass/verdict/write-evidence.ts";
import { resumeTask } from "../../../lib/queue/actions/resume-task.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { eventsAt, fieldOf, openQuestion } from "../../cli/task-states.ts";
import { type TaskSpec, validator } from "../../cli/task-world.ts";
import { holdTask } from "../../pass/verdict/arrange.ts";
import { verdictEvent } from "../../rules/arrange.ts";

async function make(t: TestContext, phase: Phase, spec: Partial<TaskSpec> = {}) {
  const { session, task } = await holdTask(t, phase, spec);
  const resume = async (to: string, reason = "it is needed") => {
    try {
      const stop = await resumeTask({ taskDir: task.taskDir, to, reason, config: null, repo: null }, session.ports);
      return `${stop.exitName}: ${stop.reason}`;
    } catch (error) {
      assert.ok(error instanceof TaskPhaseError);
      return `${error.exitName} ${error.findings[0]?.code}: ${error.findings[0]?.fix}`;
    }
  };
  const types = () => (task.exists("artifacts/journal.jsonl") ? task.events().map(({ type }) => type) : []);
  return { session, task, resume, types, phase: () => fieldOf(task.state(), "Phase") };
}

test("only a working phase can be resumed in", async (t) => {
  const { resume } = await make(t, "blocked");
  assert.equal(await resume("implment"), "usage TP_USAGE_PHASE: did you mean implement?");
  assert.equal(
    await resume("done"),
    "usage TP_USAGE_PHASE: only the runner sets done, blocked and needs_user_decision; write for example --to implement",
  );
});

test("a stopped task continues in the phase that a person names, without the runner's Blockers", async (t) => {
  const stop = { cause: "repairs", to: "blocked", blockers: "all are spent", question: null } as const;
  const { task, resume, phase } = await make(t, "blocked", {
    state: { phase: "blocked", fields: { Blockers: "all are spent" } },
    events: (place) => eventsAt("blocked", place, { escalation: stop }),
  });
  assert.equal(await resume("verify", "it\nis mended"), "ok: blocked → verify");
  assert.deepEqual([phase(), fieldOf(task.state(), "Blockers")], ["verify", "none"]);
  assert.match(task.read("log.txt"), /blocked → verify resumed by a person: it is mended\n$/);
});

test("a task that works is not stopped, and one that is paused says so", async (t) => {
  const { resume } = await make(t, "implement");
  assert.equal(await resume("verify"), "rejected: the task is not stopped: it is in implement");
  const paused = await make(t, "implement", { files: { "CONTROL.md": "- [ ] PAUSE\n" } });
  assert.match(
    await paused.resume("verify"),
    /^rejected: the task is only paused: .*; tick or remove it to continue in implement$/,
  );
  const cancelled = await make(t, "implement", {
    events: async (place) => [
      ...(await eventsAt("implement", place)),
      { type: "cancelled", at: "2026-11-21T12:00:00.000Z", state: null },
    ],
  });
  assert.equal(
    await cancelled.resume("verify"),
    "rejected: the task is cancelled in implement, and continues only there: task-phase resume T-1 --to implement --reason TEXT",
  );
  const done = await make(t, "done");
  assert.match(await done.resume("verify"), /^rejected: from done a person may set intake; found verify$/);
});

test("a call that was killed before it wrote the pages is finished by the same call", async (t) => {
  const { session, task, resume, types } = await make(t, "done");
  const names = ["EVIDENCE.md", "SUMMARY.md", "artifacts/evidence.html"];
  const readAll = () => names.map((name) => task.read(name));
  writePages(session, { id: "T-1", title: "one", userFacing: false });
  const before = readAll();
  assert.equal(await resume("intake"), "ok: done → intake");
  const [after, known] = [readAll(), types()];
  for (const [index, name] of names.entries()) task.write(name, before[index] ?? "");
  assert.equal(await resume("intake"), "ok: done → intake");
  assert.deepEqual([readAll(), types()], [after, known]);
  assert.equal(await resume("intake", "another reason"), "rejected: the task is not stopped: it is in intake");
  for (const [index, name] of names.entries()) task.write(name, before[index] ?? "");
  assert.equal(await resume("verify"), "rejected: the task is not stopped: it is in intake");
  assert.deepEqual([readAll(), types()], [after, known]);
});

test("a task whose adoption a kill cut off from its phase is still set to it", async (t) => {
  const adopted: TaskSpec["events"] = async (place) => (await eventsAt("intake", place)).slice(0, 1);
  const { resume, types, phase } = await make(t, "intake", { events: adopted });
  assert.deepEqual(
    [await resume("verify"), types(), phase()],
    ["ok: intake → verify", ["adopted", "resumed"], "verify"],
  );
});

test("a cancelled task continues where it was", async (t) => {
  const cancelled: TaskSpec["events"] = async (place) => [
    ...(await eventsAt("implement", place)),
    {
      type: "cancelled",
      at: "2026-01-02T03:04:06.000Z",
      phase: "implement",
      reason: "later",
      state: place.state,
    } as never,
  ];
  const { resume, types } = await make(t, "implement", { events: cancelled });
  assert.deepEqual([await resume("implement"), types().at(-1)], ["ok: the task continues in implement", "resumed"]);
});

test("the reason answers the runner's own question, and one that is still open is named", async (t) => {
  const own = openQuestion.replace("Which encoding?", goOnTitle);
  const asks = await make(t, "needs_user_decision", { files: { "DECISIONS.md": own } });
  assert.equal(await asks.resume("implement", "try  again"), "ok: needs_user_decision → implement");
  assert.match(asks.task.read("DECISIONS.md"), /- Answer: continue: try again\n/);
  const two = `${own}\n${openQuestion.replace("Q1", "Q2")}\n${openQuestion.replace("Q1", "Q3")}`;
  const more = await make(t, "needs_user_decision", { files: { "DECISIONS.md": two } });
  assert.equal(
    await more.resume("implement"),
    "ok: needs_user_decision → implement; Q2 and 1 more are open, and the next run waits for an answer: task-phase answer T-1 Q2 TEXT",
  );
});

test("a budget that is spent is named with the key that raises it", async (t) => {
  const spent = await make(t, "blocked", {
    contract: [validator, "budget: { passes: 1 }"],
    events: async (place) => [
      ...(await eventsAt("blocked", place)),
      verdictEvent("implement", "blocked", place, { pass: 2 }),
    ],
  });
  assert.match(
    await spent.resume("implement"),
    /^ok: blocked → implement; the one pass is spent, so raise `budget\.passes` in the brief$/,
  );
});

test("a task without a journal is taken over as it is, but what it claims to be proven is not", async (t) => {
  const fields = { "Validator status": "pass" };
  const moved = await make(t, "verify", { events: null, state: { phase: "verify", fields } });
  assert.equal(await moved.resume("verify", "moved here"), "ok: verify → verify");
  assert.deepEqual(
    [moved.types(), fieldOf(moved.task.state(), "Validator status")],
    [["adopted", "resumed"], "pending"],
  );
  const done = await make(t, "done", { events: null });
  assert.match(
    await done.resume("review"),
    /^rejected: STATE.md says done, but no journal proves it; set it to intake$/,
  );
  assert.deepEqual(done.types(), []);
  assert.equal(await done.resume("intake"), "ok: intake → intake");
  const secret = await make(t, "verify", {
    events: null,
    state: { phase: "verify", fields: { Objective: `ghp_${"a1B2".repeat(9)}` } },
  });
  assert.match(await secret.resume("verify"), /^rejected: STATE.md contains what looks like a secret/);
});

test("an edit that is refused stops it, and nothing is resumed", async (t) => {
  const { task, resume, types } = await make(t, "blocked");
  task.edit({ Phase: "done" });
  assert.match(await resume("implement"), /^rejected: the hand edit of STATE.md is refused/);
  assert.equal(types().at(-1), "edit_refused");
});

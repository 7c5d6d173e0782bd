import assert from "node:assert/strict";
import { test } from "node:test";
import { at, withFields } from "../cli/task-states.ts";
import { passStarted } from "../rules/arrange.ts";
import { accepted, commit, type Files, judge, present, resumed, reviewedElsewhere, under } from "./arrange.ts";
import { checksOn, type HonestTask, honestTask, taskAt } from "./honest-task.ts";

test("a whole journal made by hand, whose chain is right, without the record of done", async (t) => {
  const task = taskAt("review");
  task.pass("done", { withoutRecord: true });
  const { found, report } = await judge(t, [commit(task)]);
  assert.deepEqual(found, ["error RECORD_MISSING 0"]);
  assert.match(report.findings[0]?.message ?? "", /no commit has the pass.json of pass 5/);
});

test("records that git ignores are one warning, as long as none is that of done", async (t) => {
  const task = honestTask();
  task.pass("shape", { withoutRecord: true });
  task.pass("implement", { withoutRecord: true });
  const { found, report } = await judge(t, [commit(task)]);
  assert.deepEqual([found, report.exits], [["warning RECORD_MISSING 0"], []]);
  assert.match(report.findings[0]?.message ?? "", /of passes 1, 2,/);
});

test("a done whose facts decide otherwise, or whose record is missing, exchanged or has other checks", async (t) => {
  const cases = {
    "facts that decide otherwise": { facts: { promise_seen: false }, decision: accepted },
    "other code than was reviewed": { facts: { reviewed_fingerprint: "code" } },
    "another record": { event: { record_sha256: "0".repeat(64) } },
    "checks in the journal alone": { event: { checks: checksOn("code") } },
  };
  const names = Object.keys(cases);
  const made = Object.entries(cases).map(([name, change], index) => {
    const task = name === "other code than was reviewed" ? reviewedElsewhere() : taskAt("review");
    if (name === "checks in the journal alone") {
      task.pass("done", { ...change, facts: { checks: null, fingerprint: present("code") }, decision: accepted });
    } else task.pass("done", change);
    return under(`case-${index}`, task.files());
  });
  const { report } = await judge(t, [{ files: Object.assign({}, ...made) as Files }]);
  const found = Object.fromEntries(
    names.map((name, index) => [
      name,
      report.forged.flatMap(({ task, code }) => (task === `case-${index}` ? [code.replace("TP_HISTORY_", "")] : [])),
    ]),
  );
  assert.deepEqual(found, {
    "facts that decide otherwise": ["VERDICT_DIFFERS"],
    "other code than was reviewed": ["RECORD_DIFFERS"],
    "another record": ["RECORD_CHANGED"],
    "checks in the journal alone": ["VERDICT_DIFFERS"],
  });
});

test("events that no runner writes, each in its own words", async (t) => {
  const cases: Record<string, () => HonestTask> = {
    "accepted, and the table does not have it": () => {
      const task = taskAt("implement");
      task.pass("done", { decision: accepted, event: { to: "done" } });
      return task;
    },
    "a rejected pass that moves": () => {
      const task = taskAt("implement");
      task.pass("done", { event: { to: "verify", state: withFields(task.state(), { Phase: "verify" }) } });
      return task;
    },
    "a rejected pass that changes STATE.md": () => {
      const task = taskAt("implement");
      task.pass("done", { event: { state: withFields(task.state(), { "Next step": "x" }) } });
      return task;
    },
    "a verdict from another phase": () => {
      const task = taskAt("shape");
      task.pass("implement", { event: { from: "intake" } });
      return task;
    },
    "a STATE.md that says another phase": () => {
      const task = taskAt("shape");
      task.pass("implement", { event: { state: withFields(task.state(), { Phase: "done" }) } });
      return task;
    },
    "a second adoption": () => {
      const task = taskAt("shape");
      task.add({ type: "adopted", at, phase: "shape", state: task.state(), contract_sha256: "c" });
      return task;
    },
    "done that is resumed at review": () => {
      const task = taskAt("done");
      const state = withFields(task.state(), { Phase: "implement" });
      task.add(resumed("done", "implement", state));
      return task;
    },
    "a stop where the table has none": () => {
      const task = taskAt("review");
      const escalation = {
        cause: "stuck",
        to: "blocked",
        blockers: "stop",
        question: null,
        open_questions: [],
      } as const;
      const state = withFields(task.state(), { Phase: "blocked", Blockers: "stop" });
      task.add({ type: "escalated", at, from: "review", state, ...escalation });
      return task;
    },
    "an edit that the table refuses": () => {
      const task = taskAt("shape");
      const state = withFields(task.state(), { Phase: "review" });
      const edit = {
        from: "shape",
        to: "review",
        reopened: false,
        tickets: [],
        overridden: [],
        features: [],
      } as const;
      task.add({ type: "state_edited", at, ...edit, state });
      return task;
    },
    "an edit that opens what was not stopped": () => {
      const task = taskAt("shape");
      const state = withFields(task.state(), { "Next step": "x" });
      const edit = { from: "shape", to: "shape", reopened: true, tickets: [], overridden: [], features: [] } as const;
      task.add({ type: "state_edited", at, ...edit, state });
      return task;
    },
    "an answer that leads elsewhere": () => {
      const task = taskAt("implement");
      task.pass("needs_user_decision", { facts: { open_questions: ["Q1"] } });
      const state = withFields(task.state(), { Phase: "review" });
      task.add({ type: "answered", at, from: "needs_user_decision", to: "review", questions: ["Q1"], state });
      return task;
    },
    "a default that leads elsewhere": () => {
      const task = taskAt("implement");
      const state = withFields(task.state(), { Phase: "verify" });
      task.add({ type: "defaulted", at, from: "implement", to: "verify", questions: [], state });
      return task;
    },
    "a pass in a phase where the task does not stand": () => {
      const task = taskAt("shape");
      task.add(passStarted(2, { at, phase: "review" }));
      return task;
    },
  };
  const names = Object.keys(cases);
  const made = Object.values(cases).map((make, index) => under(`case-${index}`, make().files()));
  const { report } = await judge(t, [{ files: Object.assign({}, ...made) as Files }]);
  const events = report.findings.filter(({ code }) => code === "TP_HISTORY_EVENT");
  const found = Object.fromEntries(
    events.map(({ message }) => [
      names[Number(/^case-(\d+),/.exec(message)?.[1])],
      message.replace(/^.* no runner wrote the event [a-z_]+: /, ""),
    ]),
  );
  assert.deepEqual(found, {
    "accepted, and the table does not have it": "implement → done: the table of phases does not allow it",
    "a rejected pass that moves": "implement → verify: a verdict of rejected keeps the phase",
    "a rejected pass that changes STATE.md": "a verdict of rejected keeps STATE.md, but this one changes it",
    "a verdict from another phase": "it says that the task was in intake, but the last accepted phase is shape",
    "a STATE.md that says another phase": "the STATE.md that it accepts says done, but the event says implement",
    "a second adoption": "a task is adopted once, by the first event",
    "done that is resumed at review": "done → implement: from done a person may set intake; found implement",
    "a stop where the table has none":
      "review → blocked: the runner stops a task in blocked or needs_user_decision, if the table allows it from that phase",
    "an edit that the table refuses":
      "shape → review: shape → review is not allowed; from shape a pass may propose shape, implement, blocked, needs_user_decision",
    "an edit that opens what was not stopped": "it reopens the task, which was in shape and not stopped",
    "an answer that leads elsewhere":
      "needs_user_decision → review: an answer returns to the phase that asked, implement",
    "a default that leads elsewhere": "implement → verify: a default returns to the phase that asked, none",
    "a pass in a phase where the task does not stand": "a pass started in review, but the task was in shape",
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatEvent } from "../../lib/store/journal.ts";
import { at, withFields } from "../cli/task-states.ts";
import { accepted, commit, type Files, judge, present, resumed, stateOf, under, walkTo } from "./arrange.ts";
import { checksOn, honestTask, taskAt } from "./honest-task.ts";

const journalFile = "artifacts/journal.jsonl";

/** The lines chained anew, as a forger would who knows the format. */
function chainAnew(lines: readonly string[]): string {
  let head: string | null = null;
  const made = lines.map((line, index) => {
    const {
      prev: _prev,
      seq: _seq,
      ...event
    } = JSON.parse(line) as { at: string; type: string; [key: string]: unknown };
    const next = formatEvent(head, index + 1, event);
    head = next.head;
    return `${next.line}\n`;
  });
  return made.join("");
}

test("a pass that is dropped from the middle of the journal, whose rest is chained anew", async (t) => {
  const { task, commits } = walkTo("verify");
  const lines = task.journal().trimEnd().split("\n");
  const rest = chainAnew([...lines.slice(0, 2), ...lines.slice(3)]);
  assert.deepEqual((await judge(t, [...commits, commit(task, { [journalFile]: rest })])).found, [
    "error JOURNAL_REWRITTEN 4",
    // What follows the gap does not fit what is left before it.
    "error EVENT 4",
  ]);
});

test("a failed check whose exit code is forged in the journal, before and after it was pushed", async (t) => {
  const { task, commits } = walkTo("verify");
  const failed = checksOn("code", "fail");
  const honest = task.fork();
  honest.pass("review", { facts: { checks: failed } });
  const forged = task.fork();
  const state = withFields(task.state(), { Phase: "review" });
  const says = { verdict: "accepted", to: "review", checks: checksOn("code"), state } as const;
  forged.pass("review", { facts: { checks: failed }, event: says });
  const fresh = await judge(t, [...commits, commit(forged)]);
  assert.deepEqual([fresh.found, fresh.report.exits], [["error VERDICT_DIFFERS 4"], ["rejected"]]);
  const late = await judge(t, [...commits, commit(honest), commit(forged)]);
  assert.deepEqual(late.found, ["error JOURNAL_REWRITTEN 5", "error VERDICT_DIFFERS 5"]);
});

test("done whose journal tells of another end, another code or another guard than its record", async (t) => {
  const tampered = {
    path: "x",
    change: "changed",
    guard: "protected",
    by: "model",
    restored: true,
    detail: null,
  } as const;
  const cases = [
    { end: { kind: "timed_out", timeout_ms: 1 } },
    { fingerprint: present("other") },
    { tampering: [tampered] },
    { gates: [] },
    { checks: checksOn("other") },
    { proposed: "repair" },
  ] as const;
  const made = cases.map((event, index) => {
    const task = taskAt("review");
    task.pass("done", { event });
    return under(`case-${index}`, task.files());
  });
  const { report } = await judge(t, [{ files: Object.assign({}, ...made) as Files }]);
  assert.deepEqual(
    cases.map((_event, index) => report.forged.some(({ task }) => task === `case-${index}`)),
    cases.map(() => true),
  );
});

test("a rejected pass whose journal tells of another proposal", async (t) => {
  const task = taskAt("implement");
  task.pass("done", { event: { proposed: "verify" } });
  assert.deepEqual((await judge(t, [commit(task)])).found, ["error RECORD_DIFFERS 0"]);
});

test("a record with the right digest tells more than one that was changed, whichever came first", async (t) => {
  const task = taskAt("review");
  task.pass("done", { facts: { promise_seen: false }, decision: accepted });
  const record = "artifacts/passes/0005/pass.json";
  const changed = commit(task, { [record]: "{}\n" });
  assert.deepEqual((await judge(t, [commit(task), changed])).found, ["error VERDICT_DIFFERS 0"]);
  assert.deepEqual((await judge(t, [changed, commit(task)])).found, ["error VERDICT_DIFFERS 0"]);
});

test("a merge that joins the journals of both branches, as a union of lines does", async (t) => {
  const { task, commits } = walkTo("implement");
  const [ours, theirs] = [task.fork(), task.fork()];
  ours.pass("verify");
  theirs.pass("verify", { fields: { "Next step": "otherwise" } });
  const base = commits.length - 1;
  const joined = ours.journal() + theirs.journal().slice(task.journal().length);
  commits.push({ ...commit(ours), parents: [base] }, { ...commit(theirs), parents: [base] });
  commits.push({ ...commit(ours, { [journalFile]: joined }), parents: [base + 1, base + 2] });
  const { found, report } = await judge(t, commits);
  assert.deepEqual([found, report.exits], [["error JOURNAL_BROKEN 5"], ["data"]]);
});

test("a merge that takes the STATE.md of one branch and the journal of the other", async (t) => {
  const { task, commits } = walkTo("verify");
  const [ours, theirs] = [task.fork(), task.fork()];
  ours.pass("review");
  theirs.pass("blocked", { fields: { Blockers: "no access" } });
  const base = commits.length - 1;
  commits.push({ ...commit(ours), parents: [base] }, { ...commit(theirs), parents: [base] });
  const done = { "STATE.md": withFields(ours.state(), { Phase: "done" }) };
  commits.push({ ...commit(theirs, done), parents: [base + 1, base + 2] });
  assert.deepEqual((await judge(t, commits)).found, ["error DONE 6"]);
});

test("a squash of honest passes holds, and one that hides a jump does not", async (t) => {
  const done = taskAt("done");
  assert.deepEqual((await judge(t, [commit(honestTask()), commit(done)])).found, []);
  const review = taskAt("review");
  const squashed = await judge(t, [commit(honestTask()), commit(review, stateOf(review, { Phase: "done" }))]);
  assert.deepEqual(squashed.found, ["error DONE 1"]);
});

test("a folder that is renamed with done, with a cut journal, or without its journal", async (t) => {
  const { task, commits } = walkTo("review");
  const moved = (files: Files) => judge(t, [...commits, { files: { "T-1": null, ...under("T-9", files) } }]);
  const cut = `${task.journal().trimEnd().split("\n").slice(0, 3).join("\n")}\n`;
  const found = [
    await moved({ ...task.files(), ...stateOf(task, { Phase: "done" }) }),
    await moved({ ...task.files(), [journalFile]: cut }),
    await moved({ "STATE.md": task.state() }),
  ].map((judged) => judged.found);
  // The cut one stands in implement, and STATE.md says review.
  assert.deepEqual(found, [["error DONE 5"], ["error MOVE 5"], ["error NO_JOURNAL 5"]]);
});

test("STATE.md that becomes a link, whose text is what was accepted", async (t) => {
  const { task, commits } = walkTo("shape");
  const { found } = await judge(t, [...commits, commit(task, { "STATE.md": ["120000", task.state()] })]);
  assert.deepEqual(found, ["error STATE_UNREADABLE 2"]);
});

test("a pass that is reverted is a cut, and another one may be made from there", async (t) => {
  const { task, commits } = walkTo("implement");
  const before = task.fork();
  task.pass("verify");
  before.pass("verify", { fields: { "Next step": "otherwise" } });
  const reverted = { files: { "T-1": null, ...commits.at(-1)?.files } };
  const { found } = await judge(t, [...commits, commit(task), reverted, commit(before)]);
  assert.deepEqual(found, ["error JOURNAL_REWRITTEN 4"]);
});

test("a folder that was removed and stands again at intake without a journal", async (t) => {
  const { commits } = walkTo("implement");
  const again = { files: { "T-1/STATE.md": honestTask().state() } };
  assert.deepEqual((await judge(t, [...commits, { files: { "T-1": null } }, again])).found, []);
});

test("a resumption of a task that nobody stopped, and a redirect of a repair", async (t) => {
  const working = taskAt("implement");
  working.add({ ...resumed("blocked", "implement", working.state()), from: "implement", to: "verify" } as never);
  const repair = taskAt("verify");
  repair.pass("review", { facts: { checks: checksOn("code", "fail") } });
  repair.pass("verify", { withoutRecord: true, event: { verdict: "redirected", to: "repair", state: repair.state() } });
  const { report } = await judge(t, [{ files: { ...under("T-1", working.files()), ...under("T-2", repair.files()) } }]);
  assert.deepEqual(
    report.forged.map(({ task, code, line }) => [task, code, line]),
    [
      ["T-1", "TP_HISTORY_EVENT", 4],
      ["T-1", "TP_HISTORY_EVENT", 4],
      ["T-2", "TP_HISTORY_EVENT", 6],
    ],
  );
});

test("a refusal of done is none of an earlier done, from another phase", async (t) => {
  const { task, commits } = walkTo("verify");
  commits.push(commit(task, stateOf(task, { Phase: "done" })));
  task.pass("review");
  commits.push(commit(task));
  task.add({ type: "edit_refused", at, from: "review", to: "done", reason: "no", kept: "artifacts/kept.md" });
  assert.deepEqual((await judge(t, [...commits, commit(task)])).found, ["error DONE 4"]);
});

test("a STATE.md that another branch had accepted, without the journal of that branch", async (t) => {
  const { task, commits } = walkTo("verify");
  const other = task.fork();
  other.pass("review");
  const base = commits.length - 1;
  commits.push({ ...commit(other), parents: [base] });
  commits.push({ ...commit(task, { "STATE.md": other.state() }), parents: [base] });
  commits.push({ ...commit(task), parents: [base + 1, base + 2] });
  assert.deepEqual((await judge(t, commits)).found, ["error MOVE 5"]);
});

test("a STATE.md of the accepted phase that no runner would read", async (t) => {
  const { task, commits } = walkTo("shape");
  const tooLong = `${task.state()}\n## More\n\n${"x".repeat(5000)}\n`;
  const { found } = await judge(t, [...commits, commit(task, { "STATE.md": tooLong })]);
  assert.deepEqual(found, ["error STATE_UNREADABLE 2"]);
});

test("a stop that leads elsewhere than the runner stops a task", async (t) => {
  const task = taskAt("shape");
  const state = withFields(task.state(), { Phase: "needs_user_decision" });
  const escalation = {
    cause: "passes",
    to: "needs_user_decision",
    blockers: "b",
    question: "q",
    open_questions: [],
  } as const;
  task.add({ type: "escalated", at, from: "shape", state, ...escalation });
  assert.deepEqual((await judge(t, [commit(task)])).found, ["error EVENT 0"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHistory } from "../../lib/history/check-history.ts";
import { at, withFields } from "../cli/task-states.ts";
import { startCpuTime } from "../patience.ts";
import { commit, everything, judge, rename, resumed, stateOf, under, walkTo } from "./arrange.ts";
import { type CommitSpec, makeGitRepo } from "./git-maker.ts";
import { honestTask, taskAt } from "./honest-task.ts";

test("a person may edit notes and content, set the next phase, leave blocked, and send done back to intake", async (t) => {
  const { task, commits } = walkTo("implement");
  commits.push(commit(task, stateOf(task, { "Next step": "something else" })));
  commits.push(commit(task, stateOf(task, { Phase: "verify" })));
  task.pass("blocked", { fields: { Blockers: "no access" } });
  commits.push(commit(task), commit(task, stateOf(task, { Phase: "review" })));
  const done = walkTo("done");
  commits.push(...done.commits.map(({ files }) => ({ files: rename(files, "T-2") })));
  commits.push({ files: under("T-2", stateOf(done.task, { Phase: "intake" })) });
  done.task.add(resumed("done", "intake", withFields(done.task.state(), { Phase: "intake" })));
  commits.push({ files: under("T-2", done.task.files()) });
  const { found, report } = await judge(t, commits);
  assert.deepEqual([found, report.tasks], [[], 2]);
});

test("a task that stands at intake and was never run, in any form that can be read", async (t) => {
  const state = honestTask().state();
  const { found } = await judge(t, [
    { files: { "T-1/STATE.md": state } },
    { files: { "T-1/STATE.md": `\ufeff${state.replaceAll("\n", "\r\n")}` } },
  ]);
  assert.deepEqual(found, []);
});

test("STATE.md that was committed before its journal is reported, and is no error", async (t) => {
  const { task, commits } = walkTo("review");
  const before = task.fork();
  task.pass("done");
  commits.push(commit(before, { "STATE.md": task.state() }), commit(task));
  const { found, report } = await judge(t, commits);
  assert.deepEqual([found, report.exits, report.forged], [["info LATE_JOURNAL 5"], [], []]);
});

test("a done that the runner refused later is reported, and is no error", async (t) => {
  const { task, commits } = walkTo("review");
  commits.push(commit(task, stateOf(task, { Phase: "done" })));
  task.add({ type: "edit_refused", at, from: "review", to: "done", reason: "no", kept: "artifacts/kept.md" });
  const { found, report } = await judge(t, [...commits, commit(task)]);
  assert.deepEqual([found, report.exits], [["info REFUSED 5"], []]);
  const elsewhere = walkTo("verify");
  elsewhere.commits.push(commit(elsewhere.task, stateOf(elsewhere.task, { Phase: "done" })));
  elsewhere.task.add({ type: "edit_refused", at, from: "verify", to: "repair", reason: "no", kept: "k" });
  const other = await judge(t, [...elsewhere.commits, commit(elsewhere.task)]);
  assert.deepEqual(other.found, ["error DONE 4"]);
});

test("a phase that a person may not set: by the table, and by what STATE.md and the checks say", async (t) => {
  const { task, commits } = walkTo("shape");
  commits.push(
    commit(task, stateOf(task, { Phase: "verify" })),
    commit(task, stateOf(task, { Phase: "implement", "Validation plan": "TBD" })),
    commit(task, stateOf(task, { Phase: "blocked" })),
  );
  const verify = walkTo("verify");
  commits.push(...verify.commits.map(({ files }) => ({ files: rename(files, "T-2") })));
  commits.push({ files: under("T-2", stateOf(verify.task, { Phase: "review" })) });
  const done = walkTo("done");
  commits.push(...done.commits.map(({ files }) => ({ files: rename(files, "T-3") })));
  commits.push({ files: under("T-3", stateOf(done.task, { Phase: "review" })) });
  const { found } = await judge(t, commits);
  assert.deepEqual(found, ["error MOVE 2", "error MOVE 3", "error MOVE 4", "error MOVE 9", "error MOVE 16"]);
});

test("any phase but intake without a journal", async (t) => {
  const { report, found } = await judge(t, [{ files: { "T-1/STATE.md": taskAt("done").state() } }]);
  assert.deepEqual([found, report.exits, report.forged[0]?.to], [["error NO_JOURNAL 0"], ["rejected"], "done"]);
});

test("a STATE.md that cannot be read, that is a link, or that has a second list, is data and not a refused move", async (t) => {
  const { task, commits } = walkTo("shape");
  const second = task.state().replace("## Findings\n", "## Findings\n\n- Phase: done\n");
  commits.push(
    commit(task, { "STATE.md": "# nothing\n" }),
    commit(task, { "STATE.md": second }),
    commit(task, { "STATE.md": ["120000", "../T-2/STATE.md"] }),
    commit(task, { "STATE.md": "x".repeat(1024 * 1024 + 1) }),
  );
  const { found, report } = await judge(t, commits);
  assert.deepEqual(
    found,
    [2, 3, 4, 5].map((order) => `error STATE_UNREADABLE ${order}`),
  );
  assert.deepEqual(report.exits, ["data", "data", "data", "data"]);
  assert.match(report.findings[1]?.message ?? "", /a second list has a `Phase:` item/);
});

test("a STATE.md that cannot be read is a warning once a later commit has one that can be, or none", async (t) => {
  const { task, commits } = walkTo("shape");
  const mistyped = commit(task, stateOf(task, { Phase: "shap" }));
  const put = (more: readonly CommitSpec[]) => judge(t, [...commits, mistyped, ...more]);
  const right = await put([commit(task)]);
  assert.deepEqual([right.found, right.report.exits, right.report.forged], [["warning STATE_UNREADABLE 2"], [], []]);
  assert.match(right.report.findings[0]?.message ?? "", /"shap" is not a phase; .*; a later commit corrected it$/);
  assert.deepEqual((await put([{ files: { "T-1": null } }])).found, ["warning STATE_UNREADABLE 2"]);
  // What comes after is judged from the last accepted state.
  const forged = await put([commit(task, stateOf(task, { Phase: "done" }))]);
  assert.deepEqual([forged.found, forged.report.exits], [["warning STATE_UNREADABLE 2", "error DONE 3"], ["rejected"]]);
  // What HEAD has is an error, wherever it came from.
  const again = await put([commit(task), commit(task, { "STATE.md": "# nothing\n" }), mistyped]);
  assert.deepEqual(again.found, ["error STATE_UNREADABLE 2", "error STATE_UNREADABLE 4", "error STATE_UNREADABLE 5"]);
  const aside = await put([
    { files: { other: "x" }, parents: [1] },
    { files: {}, parents: [3, 2] },
  ]);
  assert.deepEqual(aside.found, ["warning STATE_UNREADABLE 2"]);
  const taken = await put([
    { files: { other: "x" }, parents: [1] },
    { ...mistyped, parents: [3, 2] },
  ]);
  assert.deepEqual(taken.found, ["error STATE_UNREADABLE 2"]);
});

test("a STATE.md that grows by a line with each commit is not parsed for each", async (t) => {
  const { task, commits } = walkTo("shape");
  let state = task.state();
  for (let line = 1; line <= 400; line++) {
    state += line % 2 === 0 ? `- looked at ${line} in this phase: nothing\n` : `\nand at ${line}: _nothing_\n\n`;
    commits.push({ files: { "T-1/STATE.md": state } });
  }
  const repo = makeGitRepo(t, commits);
  const used = startCpuTime();
  const report = await checkHistory({ ...everything, tasksRoot: repo.folder });
  assert.deepEqual([report.findings, report.transitions], [[], 402]);
  assert.ok(used() < 5_000);
});

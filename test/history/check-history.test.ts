import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { checkHistory } from "../../lib/history/check-history.ts";
import type { TaskPhaseError } from "../../lib/text/errors.ts";
import { withFields } from "../cli/task-states.ts";
import { startCpuTime } from "../patience.ts";
import { accepted, commit, everything, judge, rename, resumed, stateOf, under, walkTo } from "./arrange.ts";
import { type CommitSpec, makeGitRepo } from "./git-maker.ts";
import { checksOn, taskAt } from "./honest-task.ts";

describe("histories that hold", () => {
  test("every pass of a task, each in a commit of its own, from intake to done", async (t) => {
    const { commits } = walkTo("done");
    const { report } = await judge(t, commits);
    assert.deepEqual(report, {
      findings: [],
      exits: [],
      commits: 6,
      transitions: 6,
      events: 6,
      tasks: 1,
      forged: [],
      signatures: null,
    });
  });

  test("a redirect, a repair, a rejected pass, an interrupted one and a stop", async (t) => {
    const { task, commits } = walkTo("verify");
    task.pass("review", { facts: { checks: checksOn("code", "fail") } });
    commits.push(commit(task));
    task.pass("verify", { fields: { "Current result": "repaired" } });
    commits.push(commit(task));
    task.pass("done");
    commits.push(commit(task));
    task.pass("verify", { facts: { end: { kind: "interrupted", reason: "SIGTERM", cause: "signal" } } });
    commits.push(commit(task));
    task.pass("blocked", { fields: { Blockers: "no access" } });
    commits.push(commit(task));
    task.add(resumed("blocked", "implement", withFields(task.state(), { Phase: "implement", Blockers: "none" })));
    commits.push(commit(task));
    const { found } = await judge(t, commits);
    assert.deepEqual(found, []);
    assert.deepEqual(
      task
        .journal()
        .split("\n")
        .flatMap((line) => /"verdict":"(\w+)"/.exec(line)?.[1] ?? []),
      ["accepted", "accepted", "accepted", "redirected", "accepted", "rejected", "interrupted", "accepted"],
    );
  });
});

describe("histories that do not hold", () => {
  test("done that a person wrote, with who, when, where, and what to do; also where a later commit takes it back", async (t) => {
    const { task, commits } = walkTo("review");
    const forged = { ...commit(task, stateOf(task, { Phase: "done" })), author: "Eve <eve@example.invalid>" };
    commits.push({ ...forged, message: "All done\n\nnot really" }, commit(task));
    const { repo, report } = await judge(t, commits);
    const sha = repo.commits[5] ?? "";
    const message = `T-1, commit ${sha.slice(0, 7)} ("All done", Eve, 2026-01-01): STATE.md says done, but the last accepted phase is review: only the runner sets done, with proof; set \`review\` and let a pass propose it`;
    const file = path.join(repo.folder, "T-1", "STATE.md");
    assert.deepEqual(report.findings, [
      {
        severity: "error",
        code: "TP_HISTORY_DONE",
        message,
        file,
        line: 3,
        column: null,
        fix: "remove this commit from the branch; a later commit does not undo it, unless task-phase refuses this very edit and the journal that records it is committed",
      },
    ]);
    assert.deepEqual(report.exits, ["rejected"]);
    assert.deepEqual(report.forged, [
      {
        commit: sha,
        author: "Eve",
        date: "2026-01-01T00:06:00+00:00",
        subject: "All done",
        task: "T-1",
        from: "review",
        to: "done",
        code: "TP_HISTORY_DONE",
        file,
        line: 3,
        message,
      },
    ]);
  });

  test("more than fifty remarks about one task are cut, and still an error", async (t) => {
    const { task, commits } = walkTo("shape");
    for (let count = 0; count < 60; count++)
      commits.push(commit(task, stateOf(task, { Phase: "done", "Next step": `step ${count}` })));
    const { report } = await judge(t, commits);
    assert.deepEqual([report.findings.length, report.findings[50]?.code], [51, "TP_HISTORY_MORE"]);
    assert.match(report.findings[50]?.message ?? "", /10 more remarks about later commits of this task$/);
  });
});

describe("from a commit on", () => {
  test("the history up to that commit is not judged, and later commits are judged from its state", async (t) => {
    const { task, commits } = walkTo("review");
    const forged = commit(task, stateOf(task, { Phase: "done" }));
    commits.push(forged, commit(task));
    assert.deepEqual((await judge(t, commits, { since: 4 })).found, ["error DONE 5"]);
    const { report } = await judge(t, commits, { since: 6 });
    assert.deepEqual(report, { ...report, findings: [], exits: [], commits: 0, transitions: 0, events: 0, tasks: 0 });
    task.pass("done");
    commits.push(commit(task));
    const next = await judge(t, commits, { since: 6 });
    assert.deepEqual(
      [next.found, next.report.commits, next.report.transitions, next.report.events, next.report.tasks],
      [[], 1, 1, 1, 1],
    );
    const again = await judge(t, [...commits.slice(0, 7), forged], { since: 6 });
    assert.deepEqual(again.found, ["error DONE 7"]);
  });

  test("the journal of that commit is taken as it is, and later commits continue it", async (t) => {
    const { task, commits } = walkTo("shape");
    task.pass("done", { decision: accepted, event: { to: "done" } });
    commits.push(commit(task));
    const cut = { files: { "T-1/artifacts/journal.jsonl": commits[0]?.files["T-1/artifacts/journal.jsonl"] ?? null } };
    const edited = commit(task, stateOf(task, { "Next step": "none" }));
    assert.deepEqual((await judge(t, [...commits, edited], { since: 2 })).found, []);
    assert.deepEqual((await judge(t, [...commits, cut], { since: 2 })).found, ["error JOURNAL_REWRITTEN 3"]);
    assert.equal((await judge(t, commits, { since: 1 })).found.includes("error EVENT 2"), true);
  });

  test("a commit of another branch leaves out what both go back to, and a merge is judged against it", async (t) => {
    const { task, commits } = walkTo("review");
    const done = commit(task, stateOf(task, { Phase: "done" }));
    // 5 and 6 stand on the branch that is merged into; 7 is the pull request, 8 the merge.
    commits.push(done, commit(task), { files: { other: "x" }, parents: [3] }, { files: {}, parents: [6, 7] });
    assert.deepEqual((await judge(t, commits, { since: 6 })).found, []);
    assert.deepEqual((await judge(t, commits, { since: 7 })).found, ["error DONE 5"]);
    const evil = [...commits.slice(0, 8), { ...done, parents: [6, 7] }];
    assert.deepEqual((await judge(t, evil, { since: 6 })).found, ["error DONE 8"]);
  });

  test("a word that is no commit, or looks like an option, is a usage error that names it", async (t) => {
    const { repo } = await judge(t, walkTo("shape").commits);
    const out = path.join(repo.folder, "sprung");
    for (const since of ["nowhere", "", "-x", "--all", `--output=${out}`, "HEAD..HEAD", "^HEAD", "HEAD:T-1", "a\nb"]) {
      await assert.rejects(checkHistory({ ...everything, tasksRoot: repo.folder, since }), (error: TaskPhaseError) => {
        assert.equal(error.exitName, "usage");
        assert.match(error.message, /--since does not name a commit of this repository: '/);
        return true;
      });
    }
    assert.equal(existsSync(out), false);
    const { commits } = await checkHistory({ ...everything, tasksRoot: repo.folder, since: "main~1" });
    assert.equal(commits, 1);
  });
});

describe("the place that is checked", () => {
  test("task folders of which no commit has one are an error, and an empty tasks root is a warning", async (t) => {
    const commits = [{ files: { "src/x": "x" } }];
    const empty = await judge(t, commits, { root: "tasks" });
    assert.deepEqual([empty.found, empty.report.exits], [["warning EMPTY -1"], []]);
    const names = ["T-1", "T-2", "T-3", "T-4", "T-5", "T-6"];
    const { found, report } = await judge(t, commits, { root: "tasks", standing: names });
    assert.deepEqual([found, report.exits], [["error UNCOMMITTED -1"], ["data"]]);
    assert.match(report.findings[0]?.message ?? "", /none was ever committed \(T-1, T-2, T-3, T-4, T-5 and more\)/);
  });

  test("a tasks root inside the repository, with characters that git's patterns know, and no other folder", async (t) => {
    const { task, commits } = walkTo("review");
    const files = { ...task.files(), ...stateOf(task, { Phase: "done" }) };
    const forged = under("T-1", files);
    const all = [
      ...commits.map(({ files }) => ({ files: under("a[b]*?ü/tasks", files) })),
      { files: under("a[b]*?ü/other", forged) },
      { files: under("axx/tasks", forged) },
      { files: under("a[b]*?ü/tasks/.hidden", files) },
    ];
    const { found, report } = await judge(t, all, { root: "a[b]*?ü/tasks" });
    assert.deepEqual([found, report.tasks, report.commits], [[], 1, 5]);
  });

  test("one task of a root", async (t) => {
    const { task, commits } = walkTo("review");
    commits.push({ files: under("T-2", stateOf(task, { Phase: "done" })) });
    assert.deepEqual((await judge(t, commits, { task: "T-1" })).found, []);
    assert.deepEqual((await judge(t, commits, { task: "T-2" })).found, ["error NO_JOURNAL 5"]);
  });

  test("names and subjects that a terminal would obey are written out, and a submodule is passed over", async (t) => {
    const name = "T-\u001b[31m::error::";
    const state = taskAt("verify").state();
    const { report, found } = await judge(t, [
      { files: { "T-5": ["160000", "1".repeat(40)], [`${name}/STATE.md`]: state }, message: "\u001b[2J::error::x" },
    ]);
    assert.deepEqual(found, ["error NO_JOURNAL 0"]);
    assert.match(
      report.findings[0]?.message ?? "",
      /^T-\\x1b\[31m::error::, commit [0-9a-f]{7,} \("\\x1b\[2J::error::x", Ann/,
    );
  });

  test("a shallow clone, a folder without git and one without commits are reported as such", async (t) => {
    const { repo } = await judge(t, walkTo("shape").commits);
    const ask = async (tasksRoot: string) => {
      const report = await checkHistory({ ...everything, tasksRoot });
      return [report.findings.map(({ code }) => code), report.exits];
    };
    writeFileSync(path.join(repo.folder, ".git", "shallow"), `${repo.commits[0]}\n`);
    assert.deepEqual(await ask(repo.folder), [["TP_HISTORY_SHALLOW"], ["config"]]);
    const empty = makeGitRepo(t, []);
    assert.deepEqual(await ask(empty.folder), [["TP_HISTORY_EMPTY"], []]);
    assert.deepEqual(await ask(path.join(empty.folder, "..")), [["TP_HISTORY_NO_GIT"], ["config"]]);
  });

  test("missing blobs are reported for each commit, and a partial clone as such", async (t) => {
    const { task, commits } = walkTo("review");
    commits.push(commit(task, stateOf(task, { Phase: "done" })));
    const { repo } = await judge(t, commits);
    const [journal, record, state] = ["artifacts/journal.jsonl", "artifacts/passes/0001/pass.json", "STATE.md"].map(
      (file) => repo.git("rev-parse", `HEAD:T-1/${file}`).trim(),
    );
    // So few objects stand in files of their own.
    const lose = (oid = "") => rmSync(path.join(repo.folder, ".git/objects", oid.slice(0, 2), oid.slice(2)));
    const ask = async () => {
      const { findings, exits } = await checkHistory({ ...everything, tasksRoot: repo.folder });
      return [findings.map(({ code }) => code.replace("TP_HISTORY_", "")), exits];
    };
    lose(state);
    lose(record);
    assert.deepEqual(await ask(), [["RECORD_MISSING", "STATE_UNREADABLE"], ["data"]]);
    lose(journal);
    assert.deepEqual(await ask(), [
      ["RECORD_MISSING", "JOURNAL_UNREADABLE", "JOURNAL_UNREADABLE"],
      ["data", "data"],
    ]);
    repo.git("remote", "add", "origin", "file:///nonexistent");
    repo.git("config", "remote.origin.promisor", "true");
    repo.git("config", "core.repositoryFormatVersion", "1");
    repo.git("config", "extensions.partialClone", "origin");
    assert.deepEqual(await ask(), [["PARTIAL"], ["config"]]);
  });

  test("neither replaced objects, nor grafts, nor settings of the repository change what is judged", async (t) => {
    const { task, commits } = walkTo("review");
    commits.push(commit(task, stateOf(task, { Phase: "done" })), commit(task));
    const { repo } = await judge(t, commits);
    repo.git("replace", repo.commits[6] ?? "", repo.commits[4] ?? "");
    mkdirSync(path.join(repo.folder, ".git", "info"), { recursive: true });
    writeFileSync(path.join(repo.folder, ".git", "info", "grafts"), `${repo.commits[6]} ${repo.commits[4]}\n`);
    for (const [key, value] of [
      ["diff.external", "false"],
      ["diff.renames", "copies"],
      ["log.showSignature", "true"],
      ["gpg.program", "false"],
      ["log.follow", "true"],
      ["core.fsmonitor", "false"],
    ])
      repo.git("config", key ?? "", value ?? "");
    const report = await checkHistory({ ...everything, tasksRoot: repo.folder });
    assert.deepEqual(
      report.forged.map(({ code, commit: sha }) => [code, sha]),
      [["TP_HISTORY_DONE", repo.commits[5]]],
    );
  });
});

test("sixty honest commits of ten tasks are judged in no time", async (t) => {
  const commits: CommitSpec[] = [];
  for (let number = 1; number <= 10; number++)
    commits.push(...walkTo("done").commits.map(({ files }) => ({ files: rename(files, `T-${number}`) })));
  const used = startCpuTime();
  const { report } = await judge(t, commits);
  assert.deepEqual([report.findings, report.commits, report.events], [[], 60, 60]);
  assert.ok(used() < 5_000);
});

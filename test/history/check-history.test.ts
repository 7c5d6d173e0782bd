import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { checkHistory } from "../../lib/history/check-history.ts";
import type { TaskPhaseError } from "../../lib/text/errors.ts";
import { at, withFields } from "../cli/task-states.ts";
import { startCpuTime } from "../patience.ts";
import { passStarted } from "../rules/arrange.ts";
import {
  accepted,
  commit,
  everything,
  type Files,
  judge,
  present,
  rename,
  resumed,
  reviewedElsewhere,
  stateOf,
  under,
  walkTo,
} from "./arrange.ts";
import { type CommitSpec, makeGitRepo } from "./git-maker.ts";
import { checksOn, type HonestTask, honestTask, taskAt } from "./honest-task.ts";

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

  test("a folder that is renamed, with all that it holds, and one that is removed", async (t) => {
    const { task, commits } = walkTo("done");
    commits.push({ files: { "T-1": null, ...under("T-9", task.files()) } }, { files: { "T-9": null } });
    const { found, report } = await judge(t, commits);
    assert.deepEqual([found, report.tasks], [[], 2]);
  });

  test("two branches that work on two tasks, merged", async (t) => {
    const { task, commits } = walkTo("done");
    const other = walkTo("done").commits.map(({ files }) => ({ files: rename(files, "T-2") }));
    const [first, ...rest] = other;
    commits.push({ ...first, files: first?.files ?? {}, parents: [0] }, ...rest);
    const merged = { files: under("T-1", task.files()), parents: [commits.length - 1, 5] };
    const { found, report } = await judge(t, [...commits, merged]);
    assert.deepEqual([found, report.transitions], [[], 12]);
  });

  test("two branches that worked on the same task, where the merge takes what one of them has", async (t) => {
    const { task, commits } = walkTo("implement");
    const [ours, theirs] = [task.fork(), task.fork()];
    ours.pass("verify");
    theirs.pass("verify", { fields: { "Next step": "otherwise" } });
    const base = commits.length - 1;
    commits.push({ ...commit(ours), parents: [base] }, { ...commit(theirs), parents: [base] });
    commits.push({ ...commit(ours), parents: [base + 2, base + 1] });
    const { found } = await judge(t, commits);
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
    assert.deepEqual(
      [forged.found, forged.report.exits],
      [["warning STATE_UNREADABLE 2", "error DONE 3"], ["rejected"]],
    );
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

  test("a journal that was cut after done, and left so, is one error and no later journal", async (t) => {
    const { task, commits } = walkTo("done");
    const lines = task.journal().trimEnd().split("\n");
    commits.push(commit(task, { "artifacts/journal.jsonl": `${lines.slice(0, -1).join("\n")}\n` }));
    const { found } = await judge(t, commits);
    assert.deepEqual(found, ["error JOURNAL_REWRITTEN 6"]);
    const edited = commit(task, { ...commits.at(-1)?.files, ...stateOf(task, { "Next step": "none" }) });
    const { "T-1/artifacts/journal.jsonl": journal } = commits.at(-1)?.files ?? {};
    const after = { files: { ...edited.files, "T-1/artifacts/journal.jsonl": journal ?? null } };
    assert.deepEqual((await judge(t, [...commits, after])).found, ["error JOURNAL_REWRITTEN 6", "error DONE 7"]);
  });

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

  test("a journal that is rewritten, cut, removed or broken in the middle, and nothing more once it stands again", async (t) => {
    const { task, commits } = walkTo("verify");
    const lines = task.journal().trimEnd().split("\n");
    const other = taskAt("implement");
    other.pass("verify", { fields: { "Next step": "otherwise" } });
    commits.push(
      { files: under("T-1", other.files()) },
      commit(task),
      commit(task, { "artifacts/journal.jsonl": `${lines.slice(0, 2).join("\n")}\n` }),
      commit(task),
      commit(task, { "artifacts/journal.jsonl": null }),
      commit(task),
      commit(task, { "artifacts/journal.jsonl": task.journal().replace('"pass":2', '"pass":3') }),
      commit(task),
      commit(task, { "artifacts/journal.jsonl": task.journal().slice(0, -5) }),
      commit(task, { "artifacts/journal.jsonl": ["120000", "elsewhere"] }),
      commit(task, { "artifacts/journal.jsonl": "" }),
      commit(task),
    );
    const { found, report } = await judge(t, commits);
    // STATE.md stood ahead of the journal that was cut, which later commits hold again.
    assert.deepEqual(found, [
      "error JOURNAL_REWRITTEN 4",
      "error JOURNAL_REWRITTEN 6",
      "info LATE_JOURNAL 6",
      "error JOURNAL_REMOVED 8",
      "error JOURNAL_BROKEN 10",
      "error RECORD_CHANGED 10",
      "error JOURNAL_BROKEN 12",
      "error JOURNAL_UNREADABLE 13",
      "error JOURNAL_BROKEN 14",
    ]);
    assert.deepEqual(
      report.findings.slice(0, 2).map(({ message, line }) => [message.replace(/^.*\): /, ""), line]),
      [
        [
          "the journal was rewritten: from line 4 on 1 event of the previous commit was changed or removed; expected only lines added at its end",
          4,
        ],
        [
          "the journal was cut: from line 3 on 2 events of the previous commit are gone; expected only lines added at its end",
          3,
        ],
      ],
    );
  });

  test("an evil merge that sets done", async (t) => {
    const { task, commits } = walkTo("review");
    commits.push({ files: { "other.txt": "x" }, parents: [0] });
    commits.push({ ...commit(task, stateOf(task, { Phase: "done" })), parents: [4, 5], message: "Merge branch x" });
    const { found, report } = await judge(t, commits);
    assert.deepEqual([found, report.forged[0]?.subject], [["error DONE 6"], "Merge branch x"]);
  });

  test("done on a branch that a merge left aside", async (t) => {
    const { task, commits } = walkTo("review");
    commits.push(commit(task, stateOf(task, { Phase: "done" })));
    commits.push({ ...commit(task), parents: [4, 5], message: "ours" });
    const { found } = await judge(t, commits);
    assert.deepEqual(found, ["error DONE 5"]);
  });

  test("a folder that was removed and stands again with another journal is a warning, and with its own is none", async (t) => {
    const { task, commits } = walkTo("implement");
    const other = taskAt("verify");
    const again = [...commits, { files: { "T-1": null } }, commit(task)];
    assert.deepEqual((await judge(t, again)).found, []);
    const another = honestTask();
    another.pass("shape", { fields: { "Next step": "otherwise" } });
    const { found } = await judge(t, [...commits, { files: { "T-1": null } }, commit(another), commit(other)]);
    assert.deepEqual(found, ["warning JOURNAL_REPLACED 4", "error JOURNAL_REWRITTEN 5"]);
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
      ...commits.map(({ files }) => ({ files: under("a[b]*?/tasks", files) })),
      { files: under("a[b]*?/other", forged) },
      { files: under("axx/tasks", forged) },
      { files: under("a[b]*?/tasks/.hidden", files) },
    ];
    const { found, report } = await judge(t, all, { root: "a[b]*?/tasks" });
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

test("sixty honest commits of ten tasks are judged in no time", async (t) => {
  const commits: CommitSpec[] = [];
  for (let number = 1; number <= 10; number++)
    commits.push(...walkTo("done").commits.map(({ files }) => ({ files: rename(files, `T-${number}`) })));
  const used = startCpuTime();
  const { report } = await judge(t, commits);
  assert.deepEqual([report.findings, report.commits, report.events], [[], 60, 60]);
  assert.ok(used() < 5_000);
});

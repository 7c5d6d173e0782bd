import assert from "node:assert/strict";
import { test } from "node:test";
import type { TreeEntry } from "../../lib/git/list-tree.ts";
import { type JournalVersion, readChain, versionOf } from "../../lib/history/journal-chain.ts";
import { type Bases, judgeGrowth } from "../../lib/history/judge-growth.ts";
import type { TaskJournals } from "../../lib/history/read-journals.ts";
import type { CommittedStep, TaskAt } from "../../lib/history/walk-tasks.ts";
import { parseTaskJournal } from "../../lib/task/records/task-journal.ts";
import { commit, judge, otherJournal, stateOf, under, walkTo } from "./arrange.ts";
import { honestTask, taskAt } from "./honest-task.ts";

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

const entry = (oid: string, mode = "100644"): TreeEntry => ({ mode, oid });
const whole = Buffer.from(taskAt("verify").journal());
const chain = readChain(whole, "journal.jsonl", parseTaskJournal);
const other = readChain(Buffer.from(otherJournal()), "journal.jsonl", parseTaskJournal);
const [, , third = 0] = chain.ends;
/** Journals by the names of their blobs. */
const journals: TaskJournals = {
  held: [],
  versions: new Map<string, JournalVersion | string>([
    ["three", versionOf(chain, third)],
    ["four", versionOf(chain, whole.length)],
    ["torn", versionOf(chain, whole.length - 1)],
    ["empty", versionOf(chain, 0)],
    [
      "other",
      versionOf(readChain(whole.subarray(0, chain.ends[0]), "journal.jsonl", parseTaskJournal), chain.ends[0] ?? 0),
    ],
    ["longer", versionOf(other, other.bytes.length)],
    ["missing", "it is not in this repository"],
  ]),
};
const state = entry("state");

function taskWith(journal: string | null, hasState = true): TaskAt {
  return { state: hasState ? state : null, journal: journal === null ? null : entry(journal) };
}

function grow(before: readonly TaskAt[], now: TaskAt, bases: Bases = new Map()) {
  const step: CommittedStep = { commit: { sha: "c", parents: [] }, order: 1, now, before, judged: true };
  const { problem } = judgeGrowth(step, journals, bases);
  return problem === null
    ? "holds"
    : `${problem.severity} ${problem.code.replace("TP_HISTORY_JOURNAL_", "")} ${problem.exit} ${problem.line}`;
}

test("a journal is accepted if it is the first, or continues that of a parent byte for byte", () => {
  assert.equal(grow([taskWith(null, false)], taskWith("four")), "holds");
  assert.equal(grow([taskWith("three")], taskWith("four")), "holds");
  assert.equal(grow([taskWith("four"), taskWith("three")], taskWith("four")), "holds");
  assert.equal(grow([taskWith("four"), taskWith(null)], taskWith("three")), "holds");
});

test("a journal that lost events, is gone, is broken or cannot be read is an error in words of its own", () => {
  const rows: readonly (readonly [before: TaskAt, now: TaskAt, said: string])[] = [
    [taskWith("four"), taskWith("three"), "error REWRITTEN rejected 4"],
    [taskWith("four"), taskWith("other"), "error REWRITTEN rejected 2"],
    [taskWith("four"), taskWith(null), "error REMOVED rejected null"],
    [taskWith("four"), taskWith(null, false), "holds"],
    [taskWith("three"), taskWith("torn"), "error BROKEN data 4"],
    [taskWith("torn"), taskWith("torn"), "holds"],
    [taskWith("four"), taskWith("empty"), "error BROKEN data 1"],
    [taskWith("four"), taskWith("missing"), "error UNREADABLE data null"],
    [taskWith("four"), { state, journal: entry("four", "120000") }, "error UNREADABLE data null"],
    [taskWith("four"), taskWith("unknown"), "error UNREADABLE data null"],
  ];
  for (const [before, now, said] of rows) assert.equal(grow([before], now), said);
});

test("how much of a journal is gone is said in numbers", () => {
  const step = (before: string, now: string): CommittedStep => ({
    ...{ commit: { sha: "c", parents: [] }, order: 1, judged: true, now: taskWith(now), before: [taskWith(before)] },
  });
  const said = (before: string, now: string) => judgeGrowth(step(before, now), journals, new Map()).problem?.text;
  assert.match(said("four", "three") ?? "", /was cut: from line 4 on 1 event of the previous commit is gone;/);
  assert.match(said("four", "other") ?? "", /was cut: from line 2 on 3 events of the previous commit are gone;/);
  assert.match(
    said("four", "longer") ?? "",
    /^the journal was rewritten: from line 3 on 2 events of the previous commit were changed or removed;/,
  );
});

test("after a broken journal later commits may continue the one before it", () => {
  const bases: Bases = new Map();
  const torn = taskWith("torn");
  assert.equal(grow([taskWith("three")], torn, bases), "error BROKEN data 4");
  assert.equal(grow([torn], taskWith("four"), bases), "holds");
  const cut = taskWith("other");
  assert.equal(grow([taskWith("three")], cut, bases), "error REWRITTEN rejected 2");
  assert.equal(grow([cut], taskWith("four"), bases), "holds");
});

test("a folder that was removed and is back with another journal is a warning", () => {
  const bases: Bases = new Map();
  const gone = taskWith(null, false);
  assert.equal(grow([taskWith("four")], gone, bases), "holds");
  assert.equal(grow([gone], taskWith("other"), bases), "warning REPLACED rejected 1");
  assert.equal(grow([gone], taskWith("four"), bases), "holds");
});

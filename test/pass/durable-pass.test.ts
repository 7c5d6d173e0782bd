import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeTaskWorld, type TaskCase, validator } from "../cli/task-world.ts";
import { watchDisk } from "../store/recorded-disk.ts";
import { findUnsafe } from "./disk-order.ts";

/**
 * Every fsync of a verify → review pass, in order: what it makes durable, and why a power cut would break a promise
 * without it. One that is added here needs a reason that none of the others serves.
 */
const verifyToReview = [
  ["bytes of PASS/prompt.md", "the prompt is part of the proof, and never half of it"],
  ["bytes of PASS/STATE.before.md", "so is what the pass began with"],
  ["bytes of TREES/PACK", "the copies from which what the agent must not change is put back"],
  [
    "bytes of ANCHOR/current.json",
    "the record by which a pass that is cut off is undone, and the event that begins it",
  ],
  ["names in ANCHOR", "it is there before the journal has that event, and before the model is called"],
  ["bytes of ANCHOR/staging/STATE.proposed.md", "what the agent wrote is not lost when its place is taken"],
  ["names in ANCHOR/staging", "so it is there"],
  ["bytes of TASK/STATE.md", "the accepted one again, before a check runs: what it says was checked"],
  ["names in TASK", "also after a power cut while the checks run"],
  ["bytes of ANCHOR/reviewed.json", "the code that was reviewed, whose paths a ticket names if it moved"],
  ["bytes of ANCHOR/delivered.json", "what is handed over of it, which moved since is judged by"],
  ["names in ANCHOR", "both, and the mark that what changes now is the runner's own work"],
  ["bytes of PASS/STATE.proposed.md", "what the agent wrote"],
  ["bytes of PASS/proof/clean/tests.log", "proof: what the check said in a clean copy"],
  ["bytes of PASS/stdout.log", "proof: what the agent said"],
  ["bytes of PASS/validators/tests.log", "proof: what the check said in the repo"],
  ["bytes of PASS/pass.json", "the facts that the verdict is decided on, whose digest its event names"],
  ["bytes of TASK/EVIDENCE.md", "it holds rows of the agent's"],
  ["bytes of TASK/artifacts/evidence.html", "a page that people open is never half of one"],
  ["names in PASSES", "the folder of the pass is there before its verdict is accepted"],
  ["names in PASS", "so are its files"],
  ["names in PASS/proof", "and the folder of its clean copy"],
  ["names in PASS/proof/clean", "with the logs of the checks there"],
  ["names in PASS/validators", "and those in the repo"],
  ["bytes of ANCHOR/commit.json", "the verdict is accepted: with STATE.md, the ledgers and the note about the model"],
  ["names in ANCHOR", "it is accepted before the journal has it"],
  ["bytes of TASK/artifacts/journal.jsonl", "the truth, with the event that began the pass"],
  ["bytes of TASK/STATE.md", "where the task stands"],
  ["bytes of TASK/log.txt", "one line a verdict"],
  ["bytes of TASK/progress.txt", "one line an accepted verdict"],
  ["names in TASK", "STATE.md and EVIDENCE.md"],
  ["bytes of ROOT/changelog/prepared.md", "the truth about the model's passes"],
  ["names in ROOT/changelog", "it is durable before its copy is written"],
  ["bytes of RUNTIME/changelog/prepared.md", "the copy for people, whose edits are read back: half of one would count"],
  ["names in RUNTIME/changelog", "an older copy would be taken for an edit, once the note is let go"],
  ["names in ANCHOR", "the event is carried out and the pass is over, before anybody hears of it"],
] as const;

/** The calls of the disk of one pass, after a first one in which all folders are made. */
async function record(task: TaskCase, world: { folder: string }, to: string): Promise<readonly string[]> {
  const disk = watchDisk(world.folder);
  try {
    assert.equal((await task.pass()).to, to);
  } finally {
    disk.restore();
  }
  const newest = readdirSync(join(task.taskDir, "artifacts", "passes"))
    .sort()
    .at(-1);
  return disk.calls.map((call) =>
    call
      .replaceAll(/state\/task-phase\/tasks\/[0-9a-f]{32}/g, "ANCHOR")
      .replaceAll(/state\/task-phase\/trees\/[0-9a-f]{32}/g, "TREES")
      .replaceAll(/TREES\/[0-9a-f]{16}-[0-9a-f]{16}/g, "TREES/PACK")
      .replaceAll(/state\/task-phase\/roots\/[0-9a-f]{32}/g, "ROOT")
      .replaceAll(/checkpoint-[0-9a-f]{32}/g, "checkpoint-MARK")
      .replaceAll(/cases\/\w+\/tasks\/T-1/g, "TASK")
      .replaceAll(/cases\/\w+\/tasks\/\.task-phase/g, "RUNTIME")
      .replaceAll(`TASK/artifacts/passes/${newest}`, "PASS")
      .replaceAll("TASK/artifacts/passes", "PASSES"),
  );
}

/** Each fsync with the name that the bytes get. */
function listSyncs(calls: readonly string[]): string[] {
  return calls.flatMap((call, index) => {
    const [kind, path = ""] = call.split(" ");
    if (kind !== "fsync") return [];
    const placed = calls.slice(index).find((later) => later.startsWith(`rename ${path} `));
    const isFile = /\.\w+$|PACK$/.test(path);
    return [isFile ? `bytes of ${placed?.split(" ")[2] ?? path}` : `names in ${path}`];
  });
}

test("a pass", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("one", "verify", { contract: [validator, "proof: { without: off, fresh: 0 }"] });
  const to = (phase: string) => ({
    task: { "STATE.md": task.state().replace(/^- Phase: \w+$/m, `- Phase: ${phase}`) },
  });
  task.propose({ task: { "STATE.md": task.state().replace("go on", "go on and on") } });
  assert.equal((await task.pass()).to, "verify");
  task.propose(to("review"));
  const reviewed = await record(task, world, "review");
  const state = task
    .state()
    .replace(/^- Phase: \w+$/m, "- Phase: done")
    .replace("Candidate done: no", "Candidate done: yes");
  task.propose({ task: { "STATE.md": state } });
  const done = await record(task, world, "done");

  await t.test("from verify to review syncs exactly what a promise needs", () => {
    assert.deepEqual(
      listSyncs(reviewed),
      verifyToReview.map(([what]) => what),
    );
  });

  await t.test("keeps the order that a power cut at any moment needs", () => {
    assert.deepEqual(findUnsafe(reviewed), []);
    assert.deepEqual(findUnsafe(done), []);
  });

  await t.test("needs each of its fsyncs: without any one of them, the order is broken", () => {
    for (const calls of [reviewed, done]) {
      for (const [index, call] of calls.entries()) {
        if (!call.startsWith("fsync")) continue;
        const without = findUnsafe(calls.toSpliced(index, 1));
        assert.notDeepEqual(without, [], `${call}, call ${index}`);
      }
    }
  });

  await t.test("that does a step before the record of it is found out", () => {
    const swap = (calls: readonly string[], early: RegExp, late: RegExp): string[] => {
      const from = calls.findLastIndex((call) => early.test(call));
      const to = calls.findLastIndex((call, index) => index < from && late.test(call));
      assert.ok(to >= 0 && from > to, `${early} after ${late}`);
      return findUnsafe(calls.toSpliced(from, 1).toSpliced(to, 0, calls[from] ?? "")).map(
        (one) => one.split(":")[0] ?? "",
      );
    };
    const pairs: readonly (readonly [readonly string[], RegExp, RegExp, string])[] = [
      [reviewed, /^open ANCHOR\/staging\/stdout\.log$/, /^rename \S+ ANCHOR\/current\.json$/, "the model is called"],
      [reviewed, /^write TASK\/artifacts\/journal\.jsonl$/, /^rename \S+ ANCHOR\/current\.json$/, "the journal gets"],
      [reviewed, /^rename \S+ ANCHOR\/current\.json$/, /^fsync TREES\/PACK$/, "the record of the pass names"],
      [reviewed, /^rename \S+ PASS\/stdout\.log$/, /^rename \S+ ANCHOR\/checkpoint-MARK$/, "the runner writes"],
      [reviewed, /^rename \S+ ANCHOR\/commit\.json$/, /^fsync PASS$/, "a verdict is accepted"],
      [reviewed, /^rm ANCHOR\/staging$/, /^fsync PASS$/, "the staging is dropped"],
      [done, /^rename \S+ ANCHOR\/commit\.json$/, /^fsync TASK$/, "done is accepted"],
      [reviewed, /^rename \S+ TASK\/STATE\.md$/, /^rename \S+ ANCHOR\/commit\.json$/, "STATE.md becomes"],
      [reviewed, /^open ANCHOR\/staging\/validators\//, /^fsync TASK$/, "a check runs"],
      [reviewed, /^rename \S+ RUNTIME\/changelog/, /^fsync ROOT\/changelog$/, "the truth about models"],
      [reviewed, /^rename ANCHOR\/commit\.json /, /^fsync TASK$/, "an event and its pass"],
      [reviewed, /^rm ANCHOR\/current\.json$/, /^fsync TASK\/artifacts\/journal\.jsonl$/, "an event and its pass"],
    ];
    for (const [calls, early, late, rule] of pairs) {
      const found = swap(calls, early, late);
      assert.ok(
        found.some((says) => says.startsWith(rule)),
        `${rule}: ${found.join("; ")}`,
      );
    }
  });
});

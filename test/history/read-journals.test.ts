import assert from "node:assert/strict";
import { test } from "node:test";
import type { TreeEntry } from "../../lib/git/list-tree.ts";
import { blobName } from "../../lib/git/objects.ts";
import { readChain, versionOf } from "../../lib/history/journal-chain.ts";
import { continuations, readJournals } from "../../lib/history/read-journals.ts";
import type { CommittedStep, TaskAt, WalkedTask } from "../../lib/history/walk-tasks.ts";
import { parseTaskJournal } from "../../lib/task/records/task-journal.ts";
import { otherJournal } from "./arrange.ts";
import { taskAt } from "./honest-task.ts";

const whole = Buffer.from(taskAt("verify").journal());
const ends = readChain(whole, "journal.jsonl", parseTaskJournal).ends;
const beginning = whole.subarray(0, ends[1]);
const other = Buffer.from(otherJournal());
const nameOf = (bytes: Buffer) => blobName(bytes, 40);

function taskOf(...journals: readonly (TreeEntry | Buffer | null)[]): WalkedTask {
  const at = (journal: TreeEntry | Buffer | null): TaskAt => ({
    state: null,
    journal: Buffer.isBuffer(journal) ? { mode: "100644", oid: nameOf(journal) } : journal,
  });
  const steps = journals.map(
    (journal, order): CommittedStep => ({
      ...{ commit: { sha: `c${order}`, parents: [] }, order, judged: true },
      ...{ now: at(journal), before: [at(journals[order - 1] ?? null)] },
    }),
  );
  return { name: "T-1", steps, records: new Map(), packs: new Set(), head: { state: null, journal: null } };
}

/** The journals of a task, and the names of the blobs that were read. */
async function read(task: WalkedTask, blobs: readonly Buffer[], bySize = true) {
  const asked: string[] = [];
  const journals = await readJournals(
    task,
    {
      sizes: new Map(bySize ? blobs.map((bytes) => [nameOf(bytes), bytes.length]) : []),
      parseJournal: parseTaskJournal,
      read: (oid) => {
        asked.push(oid);
        const bytes = blobs.find((one) => nameOf(one) === oid);
        if (oid === "large") return Promise.resolve({ kind: "too_big", size: 7 });
        return Promise.resolve(bytes === undefined ? { kind: "missing" } : { kind: "blob", bytes });
      },
    },
    "journal.jsonl",
  );
  return { journals, asked };
}

test("a journal that begins a newer one is known by its name, and is not read", async () => {
  const { journals, asked } = await read(taskOf(beginning, whole), [beginning, whole]);
  assert.deepEqual(asked, [nameOf(whole)]);
  const version = journals.versions.get(nameOf(beginning));
  assert.ok(typeof version === "object");
  assert.deepEqual([version.count, version.problem, version.chain.bytes.length], [2, null, whole.length]);
  assert.deepEqual(
    journals.held.map((held) => [held.order, held.version.count]),
    [
      [0, 2],
      [1, 4],
    ],
  );
});

test("journals that do not continue each other, or whose sizes are not known, are each read", async () => {
  const two = await read(taskOf(whole, other), [whole, other]);
  assert.deepEqual(two.asked, [nameOf(other), nameOf(whole)]);
  const unsized = await read(taskOf(beginning, whole), [beginning, whole], false);
  assert.deepEqual(unsized.asked, [nameOf(whole), nameOf(beginning)]);
});

test("a journal that is missing or too large has its reason, and what is no file is passed over", async () => {
  const large = { mode: "100644", oid: "large" };
  const link = { mode: "120000", oid: "link" };
  const { journals, asked } = await read(taskOf(whole, null, large, link), []);
  assert.deepEqual(
    [...journals.versions].sort(),
    [
      [nameOf(whole), "it is not in this repository"],
      ["large", "it is too large (7 bytes)"],
    ].sort(),
  );
  assert.deepEqual([asked.includes("link"), journals.held], [false, []]);
});

test("later journals that continue one are found with their lengths, and no others", async () => {
  const { journals } = await read(taskOf(beginning, whole, other), [beginning, whole, other]);
  const chain = readChain(whole, "journal.jsonl", parseTaskJournal);
  const counts = (version: ReturnType<typeof versionOf> | null, order: number) => [
    ...continuations(journals, version, order).values(),
  ];
  const [first = 0] = ends;
  const one = versionOf(chain, first);
  assert.equal(counts(null, -1).length, 2);
  assert.deepEqual(counts(one, 0).slice(0, 1), [4]);
  assert.deepEqual(counts(versionOf(chain, ends[2] ?? 0), 0), [4]);
  assert.deepEqual(
    counts(versionOf(chain, whole.length), 0).filter((count) => count <= 4),
    [],
  );
  assert.deepEqual(counts(one, 2), []);
});

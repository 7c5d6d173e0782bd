import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TreeEntry } from "../../../lib/git/list-tree.ts";
import { readBranchRow } from "../../../lib/queue/views/branch-rows.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { honestTask } from "../../history/honest-task.ts";
import { makeFolder } from "../../process/arrange.ts";
import { passStarted } from "../../rules/arrange.ts";

type Blob = string | number | null;

/** A row of these files: a text, a size that is too large, or null for a blob that is not here. */
async function read(
  t: Parameters<typeof makeFolder>[0],
  files: Readonly<Record<string, Blob>>,
  modes: Readonly<Record<string, string>> = {},
) {
  const folder = join(makeFolder(t), "T-1");
  const entries = Object.keys(files).map((name): [string, TreeEntry] => [
    name,
    { mode: modes[name] ?? "100644", oid: name },
  ]);
  const version = { branch: { ref: "refs/heads/x", commit: "c" }, name: "T-1", files: new Map(entries) };
  const found = await readBranchRow(folder, version, {}, async (oid, most) => {
    const blob = files[oid];
    if (blob === null || blob === undefined) return { kind: "missing" };
    if (typeof blob === "number") return blob > most ? { kind: "too_big", size: blob } : { kind: "missing" };
    return { kind: "blob", bytes: Buffer.from(blob) };
  });
  assert.ok(!existsSync(folder), "the files are removed again");
  return found;
}

const brief =
  "---\nid: T-1\ntitle: Round half up\nvalidators: [{ name: tests, command: [test, -d, .] }]\n---\nDo it.\n";

function taskFiles(task = honestTask()): Record<string, string> {
  const entries = Object.entries(task.files()).filter((entry): entry is [string, string] => entry[1] !== null);
  return { ...Object.fromEntries(entries), "README.md": brief };
}

/** The code of the error of a row that cannot be read. */
function codeOf({ row }: Awaited<ReturnType<typeof read>>): string | undefined {
  if (row.kind !== "failed") return assert.fail("it is read");
  return row.error instanceof TaskPhaseError ? row.error.findings[0]?.code : String(row.error);
}

test("a task of a commit is read as from disk, with the number of its events", async (t) => {
  const task = honestTask();
  task.pass("shape");
  const { row, claim, seq } = await read(t, taskFiles(task));
  assert.deepEqual([row.kind, row.name, claim, seq], ["read", "T-1", null, 2]);
  assert.equal(row.kind === "read" && row.files.phase, "shape");
});

test("the claim of an open pass is read from the journal", async (t) => {
  const task = honestTask();
  const runner = { worker: "w1", host: "host-a", attempt: "a1", task_phase: "0.1.0", node: "20.19.0" };
  task.add(passStarted(1, { phase: "intake", timeout_ms: 600_000, runner }));
  const { claim } = await read(t, taskFiles(task));
  assert.deepEqual([claim?.pass, claim?.runner], [1, runner]);
});

test("a blob that is not in the repository is an error that names it", async (t) => {
  const found = await read(t, { ...taskFiles(), "TASKS.md": null });
  assert.equal(codeOf(found), "TP_GIT_OBJECT");
  assert.deepEqual([found.claim, found.seq], [null, 0]);
});

test("a blob that is too large, a link and a submodule are refused as on disk", async (t) => {
  assert.equal(codeOf(await read(t, { ...taskFiles(), "TASKS.md": 5_000_000 })), "TP_TASK_FILE");
  assert.equal(
    codeOf(await read(t, { ...taskFiles(), "TASKS.md": "/etc/passwd" }, { "TASKS.md": "120000" })),
    "TP_TASK_FILE",
  );
  assert.equal(codeOf(await read(t, { ...taskFiles(), "TASKS.md": "" }, { "TASKS.md": "160000" })), "TP_TASK_FILE");
});

test("nothing is put into what only has the name of a folder", async (t) => {
  const found = await read(t, { ...taskFiles(), artifacts: "/tmp" }, { artifacts: "120000" });
  assert.equal(codeOf(found), "TP_TASK_FILE");
});

test("whether a task that cannot be read is done is looked up while its files are there", async (t) => {
  const failed = async (journal: string) => {
    const { row } = await read(t, { ...taskFiles(), "artifacts/journal.jsonl": journal, "TASKS.md": "a\0\n" });
    return row.kind === "failed" ? row : assert.fail("it is read");
  };
  const place = {} as Parameters<Awaited<ReturnType<typeof failed>>["isDone"]>[0];
  const { "artifacts/journal.jsonl": journal = "" } = taskFiles();
  assert.equal((await failed(journal)).isDone(place), false);
  const broken = await failed("nonsense\n");
  assert.throws(() => broken.isDone(place), TaskPhaseError);
});

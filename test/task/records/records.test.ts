import assert from "node:assert/strict";
import fs, { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { identifyPid } from "../../../lib/process/identity.ts";
import {
  commitShape,
  currentShape,
  type PendingCommit,
  processShape,
} from "../../../lib/task/records/anchor-shapes.ts";
import {
  findRunner,
  readCommit,
  readCurrent,
  readProcess,
  recordCommit,
  recordRunner,
} from "../../../lib/task/records/records.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { keysOf, sampleOf, type Walked } from "../../rules/shapes/sample-value.ts";

const records = [
  { name: "current.json", shape: currentShape, read: readCurrent, none: null },
  { name: "commit.json", shape: commitShape, read: readCommit, none: null },
  { name: "process.json", shape: processShape, read: readProcess, none: [] },
] as const;

for (const { name, shape, read, none } of records) {
  const whole = sampleOf(shape as Walked) as Readonly<Record<string, unknown>>;

  test(`${name} of a killed run is read whole, and is none where there is none`, (t) => {
    const folder = makeFolder(t);
    assert.deepEqual(read(folder), none);
    writeFileSync(path.join(folder, name), JSON.stringify(whole));
    assert.deepEqual(read(folder), Array.isArray(none) ? [whole] : whole);
  });

  test(`a ${name} with any key missing stops the run with its place, what was expected and what to do`, (t) => {
    const folder = makeFolder(t);
    const file = path.join(folder, name);
    for (const [key, one] of keysOf(shape as Walked)) {
      const { [key]: _, ...less } = whole;
      writeFileSync(file, JSON.stringify(less));
      if (one.type === "exact_optional") {
        assert.doesNotThrow(() => read(folder), key);
        continue;
      }
      assert.deepEqual(
        findingOf(() => read(folder)),
        { ...damaged(file), message: `the runner's own record is damaged: ${key}: expected a value, found nothing` },
      );
    }
  });

  test(`a ${name} that is cut off, no file or another value is no record`, (t) => {
    const folder = makeFolder(t);
    const file = path.join(folder, name);
    const text = JSON.stringify(whole);
    const half = text.slice(0, text.length / 2);
    const lost = [
      "",
      "\u0000".repeat(4096),
      text.slice(0, -1),
      half,
      `${half}${"\u0000".repeat(40)}`,
      `${text}${text}`,
    ];
    for (const bytes of [...lost, "null", "[]"]) {
      writeFileSync(file, bytes);
      // It is not synced, so a power cut can leave it without bytes, and the processes that it names are gone then.
      if (name === "process.json" && lost.includes(bytes)) {
        assert.deepEqual(read(folder), none);
        continue;
      }
      const { message, ...rest } = findingOf(() => read(folder));
      assert.deepEqual(rest, damaged(file));
      assert.match(message, /damaged: (?:it is not JSON|.*expected .*, found .*)$/);
    }
    rmSync(file);
    symlinkSync("/etc/hostname", file);
    assert.match(findingOf(() => read(folder)).message, /expected a regular file that can be read, found link$/);
    rmSync(file);
    mkdirSync(file);
    assert.match(findingOf(() => read(folder)).message, /found folder$/);
  });
}

test("a commit.json whose event or whose file is none of the journal or the task folder is damaged", (t) => {
  const folder = makeFolder(t);
  const file = path.join(folder, "commit.json");
  const whole = sampleOf(commitShape as Walked) as { line: string; files: readonly object[] };
  const wrong = [
    { ...whole, line: `${whole.line}\n` },
    { ...whole, line: '{"seq":1,"prev":null,"at":"2026-11-21T10:00:00.000Z","type":"done"}' },
    ...["../STATE.md", "/etc/passwd", "artifacts/../../x"].map((outside) => ({
      ...whole,
      files: whole.files.map((one) => ({ ...one, path: outside })),
    })),
  ];
  const messages = wrong.map((record) => {
    writeFileSync(file, JSON.stringify(record));
    return findingOf(() => readCommit(folder)).message.replace("the runner's own record is damaged: ", "");
  });
  assert.deepEqual(
    messages.map((message) => message.split(", found")[0]),
    [
      "line: expected a line of the journal",
      "line: expected a line of the journal",
      ...wrong.slice(2).map(() => "files.0.path: expected a path in the task folder"),
    ],
  );
});

function damaged(file: string) {
  const fix = "inspect it, then delete it to start the pass over";
  return { severity: "error", code: "TP_ANCHOR", file, line: null, column: null, fix };
}

function findingOf(read: () => unknown) {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof TaskPhaseError && error.exitName === "failure", String(error));
    const [finding] = error.findings;
    assert.ok(finding !== undefined && error.findings.length === 1);
    return finding;
  }
  throw new assert.AssertionError({ message: "nothing was thrown" });
}

test("an event that could not be made durable is not there for the next run", (t) => {
  const folder = makeFolder(t);
  const commit = sampleOf(commitShape as Walked) as PendingCommit;
  let syncs = 0;
  t.mock.method(fs, "fsyncSync", () => {
    syncs += 1;
    // The second one is that of the folder, after the rename.
    if (syncs === 2) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  });
  syncBuiltinESMExports();
  assert.throws(() => recordCommit({ folder }, commit), TaskPhaseError);
  t.mock.restoreAll();
  syncBuiltinESMExports();
  assert.equal(syncs, 2);
  assert.equal(readCommit(folder), null);
  recordCommit({ folder }, commit);
  assert.deepEqual(readCommit(folder), commit);
});

describe("the note of the process that runs a task", () => {
  test("names this process until who made it takes it away", (t) => {
    const folder = path.join(makeFolder(t), "anchor");
    assert.equal(findRunner(folder), null);
    const first = recordRunner(folder);
    const again = recordRunner(folder);
    assert.equal(findRunner(folder)?.pid, process.pid);
    again.forget();
    assert.equal(findRunner(folder)?.pid, process.pid, "the first one's to take away");
    first.forget();
    assert.equal(findRunner(folder), null);
  });

  test("is left alone, in the place of another living process, by one that comes later", (t) => {
    const folder = path.join(makeFolder(t), "anchor");
    const mine = recordRunner(folder);
    const other = JSON.stringify(identifyPid(process.ppid, "task-phase"));
    writeFileSync(path.join(folder, "runner.json"), other);
    recordRunner(folder).forget();
    assert.equal(readFileSync(path.join(folder, "runner.json"), "utf8"), other);
    mine.forget();
  });

  test("is none if its process has ended, or it cannot be read", (t) => {
    const folder = path.join(makeFolder(t), "anchor");
    recordRunner(folder);
    const file = path.join(folder, "runner.json");
    const note = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...note, startTime: "1" }));
    assert.equal(findRunner(folder), null);
    const mine = recordRunner(folder);
    assert.equal(findRunner(folder)?.pid, process.pid, "a note of a process that has ended is replaced");
    mine.forget();
    writeFileSync(file, "no JSON");
    assert.equal(findRunner(folder), null);
  });
});

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "task-phase-records-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type ClaimNote, readEnded, readNote, recordEnded, removeNote, writeNote } from "../../lib/fleet/claim-note.ts";
import { makeFolder } from "../process/arrange.ts";

const note: ClaimNote = {
  version: 1,
  task: "T-1",
  ref: "refs/heads/task-phase/T-1",
  task_dir: "/clone/tasks/T-1",
  repo: "/clone",
  attempt: "one",
  pass: 3,
  boot: "boot",
  tip: null,
  commit: null,
  kind: null,
  leftovers: ["node_modules"],
  code: null,
};

describe("the note of a claim", () => {
  test("is read as it was written, for its user alone, and goes twice without harm", (t) => {
    const file = join(makeFolder(t), "T-1.json");
    assert.equal(readNote(file), null);
    writeNote(file, note);
    assert.deepEqual(readNote(file), note);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    removeNote(file);
    removeNote(file);
    assert.equal(readNote(file), null);
  });

  for (const [name, text] of [
    ["cut short", `${JSON.stringify(note).slice(0, 40)}\n`],
    ["of another version", JSON.stringify({ ...note, version: 2 })],
    ["without its attempt", JSON.stringify({ ...note, attempt: undefined })],
    ["of a kind that no run has", JSON.stringify({ ...note, kind: "done" })],
  ] as const)
    test(`is none if it is ${name}`, (t) => {
      const file = join(makeFolder(t), "T-1.json");
      writeFileSync(file, text);
      assert.equal(readNote(file), null);
    });
});

describe("the runs that are over", () => {
  test("are known in their order, each once, the last eight", (t) => {
    const file = join(makeFolder(t), "seen", "T-1.ended");
    assert.deepEqual(readEnded(file), []);
    for (const attempt of ["a", "b", "a", "c"]) recordEnded(file, attempt);
    assert.deepEqual(readEnded(file), ["a", "b", "c"]);
    for (const attempt of ["d", "e", "f", "g", "h", "i"]) recordEnded(file, attempt);
    assert.deepEqual(readEnded(file), ["b", "c", "d", "e", "f", "g", "h", "i"]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test("are none in a file that no run wrote", (t) => {
    const file = join(makeFolder(t), "T-1.ended");
    writeFileSync(file, '{"attempt":"a"}');
    assert.deepEqual(readEnded(file), []);
    recordEnded(file, "b");
    assert.deepEqual(readEnded(file), ["b"]);
  });
});

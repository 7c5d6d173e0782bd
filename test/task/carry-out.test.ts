import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { carryOut, readParts, sizeOf, splitJournal, writeLine } from "../../lib/task/carry-out.ts";
import type { Anchor } from "../../lib/task/records/anchor.ts";
import type { PendingCommit } from "../../lib/task/records/anchor-shapes.ts";
import { notesPath } from "../../lib/task/records/records.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { eventsAt, stateFile } from "../cli/task-states.ts";
import { journalFile } from "../cli/task-world.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

const redactor = createRedactor({});

/** A journal of one event, and the one that waits. */
async function arrange(t: TestContext, changes: Partial<PendingCommit> = {}) {
  const folder = makeFolder(t);
  const place = placeOf(join(folder, "tasks/T-1"));
  const state = stateFile({ phase: "shape" });
  const [before = "", line = ""] = journalFile(await eventsAt("shape", { state, contract: "c", repo: "/" })).split(
    "\n",
  );
  const journal = { size: Buffer.byteLength(`${before}\n`), sha256: sha256(`${before}\n`) };
  const commit: PendingCommit = { version: 1, journal, line, state: null, files: [], ends_pass: false, ...changes };
  const anchor = { folder: join(folder, "anchor") };
  write(anchor.folder, { "commit.json": "{}" });
  const has = (rest: string, begin = `${before}\n`) => write(place.artifacts, { "journal.jsonl": begin + rest });
  has("");
  const carry = (deliver?: () => boolean) => carryOut(place, anchor as Anchor, commit, redactor, deliver);
  const read = (name: string) => readFileSync(join(place.taskDir, name), "utf8");
  return { place, anchor, commit, has, carry, read, line, before };
}

test("an event is appended to the journal as it was when the event was accepted, in part or whole", async (t) => {
  const { place, commit, has, read, line, before } = await arrange(t);
  for (const rest of ["", line.slice(0, 9), "\0".repeat(9), line, `${line}\n`]) {
    has(rest);
    assert.equal(splitJournal(place, commit).rest.toString(), rest);
    assert.equal(writeLine(place, commit).events.length, 2);
    assert.equal(read("artifacts/journal.jsonl"), `${before}\n${line}\n`, JSON.stringify(rest));
  }
});

test("a journal that somebody else continued or changed is left as it is", async (t) => {
  const { place, commit, has, line, before } = await arrange(t);
  const changed = before.replace("intake", "inTake");
  for (const [rest, begin] of [
    [`${line}\nmore`, undefined],
    ["{}\n", undefined],
    ["", `${changed}\n`],
    ["", before.slice(0, 5)],
  ] as const) {
    has(rest, begin);
    assert.equal(readParts(place, commit), null, rest);
    assert.throws(() => writeLine(place, commit), /the journal has changed since the last event was accepted/);
  }
});

test("the files of an event are written whole or put behind what was there, however often it is carried out", async (t) => {
  const { place, anchor, carry, read } = await arrange(t, {
    state: "the state\n",
    files: [
      { path: "deep/new.md", text: "new\n", behind: null },
      { path: "log.txt", text: "mine\n", behind: 4 },
    ],
  });
  write(place.taskDir, { "log.txt": "one\n" });
  for (let times = 0; times < 3; times += 1) {
    write(anchor.folder, { "commit.json": "{}" });
    assert.deepEqual(carry().kept, []);
    assert.deepEqual(["STATE.md", "deep/new.md", "log.txt"].map(read), ["the state\n", "new\n", "one\nmine\n"]);
    assert.deepEqual([existsSync(join(anchor.folder, "commit.json")), sizeOf(place.log)], [false, 9]);
  }
  // What a power cut left of the line is cut off; what anybody else appended stays.
  for (const [left, after] of [
    ["mi\0", ""],
    ["theirs\n", "theirs\n"],
    ["mine\ntheirs\n", "mine\ntheirs\n"],
  ] as const) {
    write(place.taskDir, { "log.txt": `one\n${left}` });
    write(anchor.folder, { "commit.json": "{}" });
    carry();
    assert.equal(read("log.txt"), `one\n${after}mine\n`);
  }
});

test("what a person wrote into a file of an event is kept under the event's number", async (t) => {
  const { place, carry, read } = await arrange(t, { state: "ours\n", over: { "STATE.md": [sha256("known\n")] } });
  write(place.taskDir, { "STATE.md": "known\n" });
  assert.deepEqual(carry().kept, []);
  const other = await arrange(t, { state: "ours\n", over: { "STATE.md": [sha256("known\n")] } });
  write(other.place.taskDir, { "STATE.md": "a person's\n" });
  const kept = join(other.place.passes, "recovered/0002/STATE.md");
  assert.deepEqual(other.carry().kept, [kept]);
  assert.deepEqual(
    [readFileSync(kept, "utf8"), other.read("STATE.md"), read("STATE.md")],
    ["a person's\n", "ours\n", "ours\n"],
  );
});

test("a note of a model waits beside the event unless it is delivered at once", async (t) => {
  for (const delivered of [true, false]) {
    const { anchor, carry } = await arrange(t, { note: '{"model":"m"}' });
    carry(() => delivered);
    assert.equal(existsSync(notesPath(anchor)), !delivered);
  }
});

test("only a file has a size", (t) => {
  const folder = makeFolder(t);
  write(folder, { a: "123" });
  mkdirSync(join(folder, "b"));
  symlinkSync("a", join(folder, "c"));
  assert.deepEqual(
    ["a", "b", "c", "d"].map((name) => sizeOf(join(folder, name))),
    [3, 0, 0, 0],
  );
});

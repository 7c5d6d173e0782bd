import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { forgetNotes, readNotes, readPendingNote, type WaitingNote } from "../../../lib/agents/rotation/model-notes.ts";
import type { Anchor } from "../../../lib/task/records/anchor.ts";
import { commitShape } from "../../../lib/task/records/anchor-shapes.ts";
import { addNote, recordCommit } from "../../../lib/task/records/records.ts";
import { makeFolder } from "../../process/arrange.ts";
import { sampleOf, type Walked } from "../../rules/shapes/sample-value.ts";

const plain: WaitingNote = { model: "claude", pass: 3, record_sha256: "ab", entry: "\n## T-1\n", cooldown: null };
const limited: WaitingNote = {
  ...plain,
  pass: 4,
  cooldown: { model: "claude", until: 20, observedAt: 10, reason: "429" },
};

test("notes wait in the anchor until they are forgotten", (t) => {
  const anchor = { folder: makeFolder(t) } as Anchor;
  assert.deepEqual(readNotes(anchor), []);
  for (const note of [plain, limited, plain]) addNote(anchor, JSON.stringify(note));
  assert.deepEqual(readNotes(anchor), [plain, limited]);
  forgetNotes(anchor);
  assert.deepEqual([readNotes(anchor), readdirSync(anchor.folder)], [[], []]);
  forgetNotes(anchor);
});

test("the note of an event that is not carried out is read from its record, if it is one", (t) => {
  const anchor = { folder: makeFolder(t) } as Anchor;
  assert.equal(readPendingNote(anchor), null);
  const commit = sampleOf(commitShape as Walked) as Parameters<typeof recordCommit>[1];
  for (const [note, read] of [
    [JSON.stringify(limited), limited],
    ["{}", null],
  ] as const) {
    recordCommit(anchor, { ...commit, note });
    assert.deepEqual(readPendingNote(anchor), read);
  }
});

test("notes that cannot be read are none", (t) => {
  const anchor = { folder: makeFolder(t) } as Anchor;
  for (const text of ["", "[", "{}", '[{"model":"claude"}]']) {
    writeFileSync(join(anchor.folder, "model-notes.json"), text);
    assert.deepEqual(readNotes(anchor), [], text);
  }
});

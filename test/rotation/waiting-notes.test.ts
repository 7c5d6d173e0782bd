import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Anchor } from "../../lib/anchor/anchor.ts";
import { forgetNotes, putNotes, readNotes, type WaitingNote } from "../../lib/rotation/waiting-notes.ts";
import { makeFolder } from "../process/arrange.ts";

const plain: WaitingNote = { model: "claude", pass: 3, record_sha256: "ab", entry: "\n## T-1\n", cooldown: null };
const limited: WaitingNote = {
  ...plain,
  pass: 4,
  cooldown: { model: "claude", until: 20, observedAt: 10, reason: "429" },
};

test("notes wait in the anchor until they are forgotten", (t) => {
  const anchor = { folder: makeFolder(t) } as Anchor;
  assert.deepEqual(readNotes(anchor), []);
  putNotes(anchor, [plain, limited]);
  assert.deepEqual(readNotes(anchor), [plain, limited]);
  forgetNotes(anchor);
  assert.deepEqual([readNotes(anchor), readdirSync(anchor.folder)], [[], []]);
  forgetNotes(anchor);
});

test("notes that cannot be read are none", (t) => {
  const anchor = { folder: makeFolder(t) } as Anchor;
  for (const text of ["", "[", "{}", '[{"model":"claude"}]']) {
    writeFileSync(join(anchor.folder, "model-notes.json"), text);
    assert.deepEqual(readNotes(anchor), [], text);
  }
});

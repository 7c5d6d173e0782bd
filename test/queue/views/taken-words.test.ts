import assert from "node:assert/strict";
import { rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import {
  doubtControl,
  readTaken,
  takenPlace,
  unsure,
  withWords,
  writeTaken,
} from "../../../lib/queue/views/taken-words.ts";
import { makeTaskWorld } from "../../cli/task-world.ts";
import { makeFolder } from "../../process/arrange.ts";

test("the note of a task is named by its repository and its id", () => {
  assert.match(takenPlace("/c", "/repo/.git", "T-1"), /^\/c\/taken\/[0-9a-f]{16}\/T-1\.json$/);
  assert.notEqual(takenPlace("/c", "/repo/.git", "T-1"), takenPlace("/c", "/other/.git", "T-1"));
});

test("what was taken is kept for this user alone, and a note that is gone or damaged says nothing", (t) => {
  const file = join(makeFolder(t), "cache", "taken", "x", "T-1.json");
  assert.equal(readTaken(file), null);
  const taken = { version: 1, files: { "CONTROL.md": "a\n" }, refused: { "README.md": "b" } } as const;
  writeTaken(file, taken);
  assert.deepEqual(readTaken(file), taken);
  assert.deepEqual([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777], [0o600, 0o700]);
  doubtControl(file, taken);
  assert.deepEqual(readTaken(file), { ...taken, files: { "CONTROL.md": unsure } });
  writeTaken(file, { ...taken, version: 2 as 1 });
  assert.equal(readTaken(file), null);
});

test("the row of a branch has what CONTROL.md of the working tree says, as far as it was not taken along yet", async (t) => {
  const { folder, taskDir, write } = await makeTaskWorld(t).makeTask("one", { state: { phase: "shape" } });
  const note = join(folder, "note", "T-1.json");
  const row = (paused: string | null) =>
    ({ name: "T-1", files: { hindered: null, paused, retry: false } }) as unknown as Parameters<typeof withWords>[0];
  const words = (before: string | null = null) => {
    const { files } = withWords(row(before), dirname(taskDir), note);
    return [files.paused !== null, files.retry];
  };
  const taken = (text: string | null) =>
    writeTaken(note, { version: 1, files: text === null ? {} : { "CONTROL.md": text } });
  write("CONTROL.md", "- [ ] PAUSE\n- [ ] RETRY\n");
  assert.deepEqual(words(), [false, false], "nothing was ever taken along: the branch counts");
  taken(null);
  assert.deepEqual(words(), [true, true]);
  taken("- [ ] PAUSE\n- [ ] RETRY\n");
  assert.deepEqual(words(), [false, false], "the branch has it already");
  taken(unsure);
  assert.deepEqual(words(), [true, true]);
  rmSync(join(taskDir, "CONTROL.md"));
  assert.deepEqual(words("paused"), [false, false], "a person removed it");
  taken(null);
  assert.deepEqual(words("paused"), [true, false], "it was never there");
  rmSync(join(taskDir, "README.md"));
  taken("- [ ] PAUSE\n");
  assert.deepEqual(words("paused"), [true, false], "the whole folder is gone");
  write("README.md", "What I say");
  writeTaken(note, { version: 1, files: { "README.md": "before" }, refused: { "README.md": "What I say" } });
  const brief = { id: "T 1" } as const;
  const ofBrief = (read: ReturnType<typeof row>) => ({ ...read, files: { ...read.files, brief } }) as typeof read;
  const joined = () => withWords(ofBrief(row(null)), dirname(taskDir), note).files.hindered;
  const both = "README.md was changed here and on the branch of the task, in the same lines";
  assert.deepEqual(joined(), { why: both, until: null, mend: "task-phase run 'T 1'" });
  write("README.md", "What both say");
  assert.equal(joined(), null, "the next pass takes it");
});

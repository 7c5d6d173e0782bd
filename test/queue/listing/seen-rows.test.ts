import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hasOwnFolders, isMissing, readSeen, stampOf, statFiles } from "../../../lib/queue/listing/seen-rows.ts";
import { stampedNames } from "../../../lib/queue/listing/stamp.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { makeFolder } from "../../process/arrange.ts";

function makeTask(t: TestContext, later = 60_000) {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + later });
  const folder = join(makeFolder(t), "T-1");
  mkdirSync(join(folder, "artifacts", "passes"), { recursive: true });
  writeFileSync(join(folder, "STATE.md"), "state\n");
  return { folder, look: () => statFiles(placeOf(folder)) };
}

test("what is there is known from one look, and a row made of it has a stamp", (t) => {
  const { folder, look } = makeTask(t);
  const seen = look();
  assert.deepEqual(
    stampedNames.filter((name) => !isMissing(seen, name)),
    ["", "STATE.md", "artifacts"],
  );
  assert.deepEqual([seen?.hasPage, seen?.hasGit, hasOwnFolders(seen)], [false, false, true]);
  const { present, stamp } = stampOf(seen);
  assert.deepEqual([present, stamp?.length], [1 | (1 << 2) | (1 << 7), 12]);
  writeFileSync(join(folder, "artifacts/evidence.html"), "");
  mkdirSync(join(folder, ".git"));
  assert.deepEqual([look()?.hasPage, look()?.hasGit], [true, true]);
});

test("a row whose files changed a moment ago has no stamp", (t) => {
  const { look } = makeTask(t, 0);
  assert.deepEqual(stampOf(look()), { present: 0, stamp: null });
});

test("what is no folder is not looked at, and then nothing is known to be missing", (t) => {
  const { folder } = makeTask(t);
  for (const path of [join(folder, "STATE.md"), join(folder, "none"), join(folder, "x".repeat(300))]) {
    const seen = statFiles(placeOf(path));
    assert.deepEqual([seen, isMissing(seen, "README.md"), readSeen(seen, "README.md")], [null, false, null], path);
    assert.deepEqual([stampOf(seen), hasOwnFolders(seen)], [{ present: 0, stamp: null }, false]);
  }
});

test("the folders of a task are its own only if they are folders or not there", (t) => {
  const { folder, look } = makeTask(t);
  renameSync(join(folder, "artifacts/passes"), join(folder, "elsewhere"));
  assert.equal(hasOwnFolders(look()), true);
  symlinkSync("../elsewhere", join(folder, "artifacts/passes"));
  assert.equal(hasOwnFolders(look()), false);
  rmSync(join(folder, "artifacts"), { recursive: true });
  assert.equal(hasOwnFolders(look()), true);
  symlinkSync("elsewhere", join(folder, "artifacts"));
  assert.equal(hasOwnFolders(look()), false);
});

test("only a small regular file that is still as it was seen is read", (t) => {
  const { folder, look } = makeTask(t);
  const path = join(folder, "STATE.md");
  const read = (seen = look()) => readSeen(seen, "STATE.md")?.toString() ?? null;
  assert.equal(read(), "state\n");
  const before = look();
  writeFileSync(path, "a longer state\n");
  assert.equal(read(before), null);
  writeFileSync(path, "x".repeat(16 * 1024 - 1));
  assert.equal(read()?.length, 16 * 1024 - 1);
  writeFileSync(path, "x".repeat(16 * 1024));
  assert.equal(read(), null);
  rmSync(path);
  assert.equal(read(before), null);
  symlinkSync("/etc/hostname", path);
  assert.equal(read(), null);
});

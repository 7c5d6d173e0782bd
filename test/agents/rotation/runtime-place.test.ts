import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { tryLock } from "../../../lib/store/lock.ts";
import { anchorFolder } from "../../../lib/task/records/anchor.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { putRuntimeFile } from "../../../lib/task/runtime-files.ts";
import { believedFolder, changeNotes, runtimeOf } from "../../../lib/task/runtime-place.ts";
import { taskLockPath } from "../../../lib/task/task-lock.ts";
import { makeFolder } from "../../process/arrange.ts";

/** Two tasks of a root; the second one's locks can be taken. */
function arrange(t: TestContext) {
  const folder = makeFolder(t);
  const root = join(folder, "tasks");
  for (const name of ["T-1", "T-2"]) {
    mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, name, "STATE.md"), "state\n");
  }
  const [place, other] = [placeOf(join(root, "T-1")), placeOf(join(root, "T-2"))];
  const ports = { env: { XDG_STATE_HOME: join(folder, "state") }, home: folder };
  const files = runtimeOf(place, ports);
  mkdirSync(join(place.runtime, "locks"), { recursive: true });
  mkdirSync(anchorFolder(other.taskDir, ports), { recursive: true });
  putRuntimeFile(files, "cooldowns.json", "truth");
  const locks = [taskLockPath(other), join(anchorFolder(other.taskDir, ports), "task.lock")];
  return {
    files,
    locks,
    edit: (text: string) => writeFileSync(join(files.folder, "cooldowns.json"), text),
    truth: () => readFileSync(join(files.own, "cooldowns.json"), "utf8"),
    believed: () => (believedFolder(place, ports) === files.own ? "truth" : "tasks root"),
    change: () => changeNotes(place, ports, () => undefined),
  };
}

test("a person's notes are taken over if no other task is at work", (t) => {
  const { edit, truth, believed, change } = arrange(t);
  edit("mine");
  assert.equal(believed(), "tasks root");
  change();
  assert.equal(truth(), "mine");
});

test("notes written while a pass of another task runs may be its model's, and are not taken over", (t) => {
  for (const index of [0, 1]) {
    const { edit, truth, believed, change, locks } = arrange(t);
    const lock = tryLock(locks[index] ?? "");
    edit("mine");
    assert.equal(believed(), "truth");
    change();
    assert.equal(truth(), "truth");
    lock?.release();
    change();
    assert.equal(truth(), "mine");
  }
});

test("a file that is gone, or a link in its place, is a change too", (t) => {
  const { files, truth, believed, change, locks } = arrange(t);
  const path = join(files.folder, "cooldowns.json");
  const lock = tryLock(locks[0] ?? "");
  rmSync(path);
  assert.equal(believed(), "truth");
  symlinkSync(join(files.own, "cooldowns.json"), path);
  assert.equal(believed(), "truth");
  change();
  assert.equal(truth(), "truth");
  lock?.release();
  change();
  assert.throws(truth, /ENOENT/);
});

test("other tasks' locks are not opened as long as there is nothing to take over", (t) => {
  const { believed, change, edit, locks } = arrange(t);
  for (const lock of locks) mkdirSync(lock);
  change();
  assert.equal(believed(), "tasks root");
  edit("mine");
  assert.throws(change, /open the lock/);
  assert.throws(believed, /open the lock/);
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findLostState } from "../../lib/documents/lost-state.ts";
import { taskFiles } from "../../lib/documents/read-task-file.ts";
import { makeFolder } from "../process/arrange.ts";
import { fieldList } from "./arrange.ts";

test("a STATE.md that can be read is not lost, and neither is one with a merge that only a person can finish", (t) => {
  const folder = makeFolder(t);
  const path = join(folder, "STATE.md");
  writeFileSync(path, fieldList());
  assert.equal(findLostState(folder), null);
  writeFileSync(path, `<<<<<<< ours\n${fieldList()}=======\n${fieldList()}>>>>>>> theirs\n`);
  assert.equal(findLostState(folder), null);
});

test("a STATE.md that is gone or replaced is lost, and what has its place has to go", (t) => {
  const folder = makeFolder(t);
  const path = join(folder, "STATE.md");
  const lost = () => {
    const found = findLostState(folder);
    rmSync(path, { recursive: true, force: true });
    return [found?.reason, found?.isReplaced, found?.bytes, found?.findings];
  };
  assert.deepEqual(lost(), ["it was removed", false, null, []]);
  symlinkSync("elsewhere", path);
  assert.deepEqual(lost(), ["it was replaced by a symbolic link", true, null, []]);
  mkdirSync(path);
  assert.deepEqual(lost(), ["it was replaced by a folder", true, null, []]);
  execFileSync("mkfifo", [path]);
  assert.deepEqual(lost(), ["it was replaced by a FIFO, socket or device", true, null, []]);
  writeFileSync(path, Buffer.alloc(taskFiles.state.maxBytes + 1, "a"));
  assert.deepEqual(lost(), ["it was replaced by a file that is too large for it", true, null, []]);
});

test("a STATE.md that makes no sense is lost with its bytes, and says where", (t) => {
  const folder = makeFolder(t);
  const lost = (bytes: string | Buffer) => {
    writeFileSync(join(folder, "STATE.md"), bytes);
    const found = findLostState(folder);
    assert.deepEqual([found?.bytes, found?.isReplaced], [Buffer.from(bytes), false]);
    return found;
  };
  assert.equal(
    lost(fieldList({ candidate_done: "x" }))?.reason,
    'it cannot be read (line 13: `Candidate done`: "x" is not one of its values; expected one of yes, no)',
  );
  const large = lost("a".repeat(70_000));
  assert.match(large?.reason ?? "", /^it cannot be read \(the file has 69 KiB/);
  assert.deepEqual(
    large?.findings.map(({ code }) => code),
    ["TP_TEXT_TOO_BIG"],
  );
});

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findOwnGroup, judgeOwner, requireOwner } from "../../../lib/documents/config/require-owner.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";

const uid = process.geteuid?.() ?? 0;
const me = { uid, ownGroup: null };

function arrange(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "task-phase-owner-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "tasks"));
  writeFileSync(join(folder, "tasks/task-phase.yaml"), "models: []\n");
  return folder;
}

function problem(file: string, caller = me): string | null {
  try {
    requireOwner(file, caller);
    return null;
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    const [finding] = error.findings;
    return `${error.exitName} ${finding?.code} ${finding?.message} → ${finding?.fix}`;
  }
}

test("you and root may own it; another user may not, for root neither", () => {
  const plain = { gid: 7, mode: 0o100644 };
  const you = { uid: 1000, ownGroup: null };
  assert.deepEqual([judgeOwner({ ...plain, uid: 1000 }, you), judgeOwner({ ...plain, uid: 0 }, you)], [null, null]);
  assert.equal(judgeOwner({ ...plain, uid: 1001 }, you)?.what, "belongs to user 1001, not to you (user 1000) or root");
  assert.equal(judgeOwner({ ...plain, uid: 1000 }, { uid: 0, ownGroup: 0 })?.what, "belongs to user 1000, not to root");
});

test("a group may write it only if it is the caller's own and nobody else's", () => {
  const shared = { uid: 1000, gid: 1000, mode: 0o100664 };
  assert.equal(judgeOwner(shared, { uid: 1000, ownGroup: 1000 }), null);
  assert.equal(judgeOwner(shared, { uid: 1000, ownGroup: null })?.what, "can be written by group 1000");
  assert.equal(judgeOwner({ ...shared, gid: 50 }, { uid: 1000, ownGroup: 1000 })?.what, "can be written by group 50");
  const groups = "root:x:0:\nada:x:1000:\nteam:x:1001:ada,bob\nbob:x:1002:bob\n";
  assert.deepEqual(
    [findOwnGroup(1000, 1000, groups), findOwnGroup(1001, 1001, groups), findOwnGroup(1002, 1002, groups)],
    [1000, null, 1002],
  );
  assert.deepEqual([findOwnGroup(1000, 0, groups), findOwnGroup(1003, 1003, groups)], [null, null]);
});

test("the file and its folder are judged, with the command that puts it right", (t) => {
  const folder = arrange(t);
  const file = join(folder, "tasks/task-phase.yaml");
  assert.equal(problem(file), null);
  chmodSync(file, 0o646);
  assert.equal(
    problem(file),
    `config TP_OWNER this configuration is not read: it can be written by every user → chmod o-w ${file}`,
  );
  chmodSync(file, 0o644);
  chmodSync(join(folder, "tasks"), 0o777);
  assert.match(problem(file) ?? "", /tasks can be written by every user → chmod o-w \S+tasks$/);
  chmodSync(join(folder, "tasks"), 0o1777);
  assert.match(problem(file) ?? "", /→ move \S+ into a folder of your own$/);
  assert.match(
    problem(file, { uid: uid + 1, ownGroup: null }) ?? (uid === 0 ? "every user" : ""),
    /every user|belongs/,
  );
});

test("of a link both its folder and the place that it leads to are judged", (t) => {
  const folder = arrange(t);
  mkdirSync(join(folder, "open"));
  symlinkSync("../tasks/task-phase.yaml", join(folder, "open/mine.yaml"));
  assert.equal(problem(join(folder, "open/mine.yaml")), null);
  chmodSync(join(folder, "open"), 0o777);
  assert.match(problem(join(folder, "open/mine.yaml")) ?? "", /open can be written/);
  chmodSync(join(folder, "open"), 0o755);
  chmodSync(join(folder, "tasks"), 0o777);
  assert.match(problem(join(folder, "open/mine.yaml")) ?? "", /tasks can be written/);
});

test("a device that every user may write is left to its reader", (t) => {
  const file = join(arrange(t), "tasks/device.yaml");
  symlinkSync("/dev/zero", file);
  assert.equal(problem(file), null);
});

test("a file that does not exist is left to its reader", (t) => {
  assert.equal(problem(join(arrange(t), "tasks/none.yaml")), null);
});

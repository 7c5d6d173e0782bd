import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, rmSync, statSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { carriesMark, childMark, createMark, openKeepalive, type ProcessMark } from "../../lib/process/mark.ts";
import { makeFolder } from "./arrange.ts";

/**
 * A waiting process with this environment and descriptor; its number. It has spoken: the kernel shows no environment of one
 * that is only about to become another program.
 */
async function sleeper(
  t: TestContext,
  env: Record<string, string>,
  keepalive: number | "ignore" = "ignore",
): Promise<number> {
  const child = spawn("/bin/sh", ["-c", "echo ready; read never"], {
    env,
    stdio: ["pipe", "pipe", "ignore", keepalive],
  });
  t.after(() => child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  return child.pid ?? 0;
}

function withKeepalive<T>(mark: ProcessMark, use: (descriptor: number) => T): T {
  const descriptor = openKeepalive(mark);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

test("two marks are never alike, and their files are private", (t) => {
  const folder = makeFolder(t);
  const [one, other] = [createMark(folder), createMark(folder)];
  assert.notEqual(one.id, other.id);
  assert.match(one.id, /^[0-9a-f]{32}$/);
  assert.equal(statSync(one.keepalivePath).mode & 0o777, 0o600);
});

test("a process is known by its environment", async (t) => {
  const mark = createMark(makeFolder(t));
  const pid = await sleeper(t, { OTHER: "1", TASK_PHASE_MARK: mark.id });
  assert.equal(carriesMark(pid, mark), true);
  assert.equal(carriesMark(pid, createMark(makeFolder(t))), false);
});

test("a process is known by its descriptor, also after the file is gone", async (t) => {
  const mark = createMark(makeFolder(t));
  const pid = await withKeepalive(mark, (descriptor) => sleeper(t, {}, descriptor));
  assert.equal(carriesMark(pid, mark), true);
  rmSync(mark.keepalivePath);
  assert.equal(carriesMark(pid, mark), true);
});

test("a child mark is found by its parent, and a parent or sister mark is not found by it", async (t) => {
  const mark = createMark(makeFolder(t));
  const [one, other] = [childMark(mark, "check1"), childMark(mark, "check12")];
  const byEnvironment = await sleeper(t, { TASK_PHASE_MARK: one.id });
  const byDescriptor = await withKeepalive(one, (descriptor) => sleeper(t, {}, descriptor));
  const parent = await sleeper(t, { TASK_PHASE_MARK: mark.id });
  const found = (by: ProcessMark): boolean[] =>
    [byEnvironment, byDescriptor, parent].map((pid) => carriesMark(pid, by));
  assert.deepEqual(found(mark), [true, true, true]);
  assert.deepEqual(found(one), [true, true, false]);
  assert.deepEqual(found(other), [false, false, false]);
});

test("a variable that only resembles the mark is none, and a process that is gone carries none", async (t) => {
  const mark = createMark(makeFolder(t));
  const pid = await sleeper(t, { MY_TASK_PHASE_MARK: mark.id, TASK_PHASE_MARK: `${mark.id}0` });
  assert.equal(carriesMark(pid, mark), false);
  assert.equal(carriesMark(99_999_999, mark), false);
});

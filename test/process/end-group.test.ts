import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { type TestContext, test } from "node:test";
import { endGroup } from "../../lib/process/bounded.ts";
import { makeFolder, plainEnv } from "./arrange.ts";

async function startGroup(t: TestContext, script: string): Promise<{ pid: number; signal: Promise<string | null> }> {
  const child = spawn("/bin/sh", ["-c", script], {
    env: plainEnv,
    cwd: makeFolder(t),
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return { pid: child.pid ?? 0, signal: new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal))) };
}

test("a group hears TERM first", async (t) => {
  const { pid, signal } = await startGroup(t, "echo ready; kill -STOP $$; exec sleep 30");
  assert.deepEqual([await endGroup(pid, 5_000), await signal], [true, "SIGTERM"]);
});

test("a group that ignores TERM is killed after the grace, and a second time there is nothing to do", async (t) => {
  const { pid, signal } = await startGroup(t, "trap '' TERM; echo ready; while :; do sleep 0.01; done");
  assert.deepEqual([await endGroup(pid, 50), await signal], [true, "SIGKILL"]);
  assert.equal(await endGroup(pid, 50), true);
});

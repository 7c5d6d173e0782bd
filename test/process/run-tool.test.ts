import assert from "node:assert/strict";
import { test } from "node:test";
import { runTool, type ToolCall } from "../../lib/process/run-tool.ts";
import { plainEnv } from "./arrange.ts";

const run = async (script: string, more: Partial<ToolCall> = {}) => {
  const argv = ["sh", "-c", script] as const;
  const end = await runTool({ argv, cwd: "/", env: plainEnv, timeoutMs: 60_000, maxBytes: 1000, ...more });
  return { ...end, stdout: end.stdout.toString() };
};

test("the end of a tool is its code, what it printed, and what it said", async () => {
  assert.deepEqual(await run("echo out; echo ' said ' >&2; exit 3"), { exitCode: 3, stdout: "out\n", said: "said" });
  const input = Buffer.from("in\n");
  assert.deepEqual(await run("cat", { input }), { exitCode: 0, stdout: "in\n", said: "" });
  assert.equal((await run("cat")).stdout, "");
  // It ends before it reads what it is given.
  assert.equal((await run("exit 0", { input: Buffer.alloc(1 << 20) })).exitCode, 0);
});

test("a tool that never ends, prints too much or is to stop is ended with its group, and why is told", async () => {
  const hangs = "sleep 60 & wait";
  assert.deepEqual(await run(`echo out; ${hangs}`, { timeoutMs: 300 }), {
    exitCode: null,
    stdout: "out\n",
    said: "it did not end within 0.3 s",
  });
  const much = await run(`head -c 2000 /dev/zero; ${hangs}`);
  assert.deepEqual([much.exitCode, much.said], [null, "it printed more than 1000 bytes"]);
  assert.equal((await run("head -c 2000 /dev/zero >&2")).exitCode, 0, "what it says is cut off");
  const stop = new AbortController();
  const stopped = run(hangs, { signal: stop.signal });
  stop.abort();
  assert.deepEqual(await stopped, { exitCode: null, stdout: "", said: "stopped by a signal" });
  assert.equal((await run("echo never", { signal: stop.signal })).stdout, "");
});

test("a tool that ended is not waited for because a child of it holds its output", async () => {
  assert.deepEqual(await run("echo out; sleep 30 & exit 0"), { exitCode: 0, stdout: "out\n", said: "" });
});

test("a tool that cannot start is a fact", async () => {
  const missing = await runTool({ argv: ["no-such"], cwd: "/", env: plainEnv, timeoutMs: 1000, maxBytes: 10 });
  assert.deepEqual([missing.exitCode, missing.said], [null, "no-such is not on the PATH, or / is gone"]);
});

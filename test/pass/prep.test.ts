import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { runPass } from "../../lib/pass/run-pass.ts";
import type { PassFence, PassPorts } from "../../lib/task/records/ports.ts";
import { diskError } from "../../lib/text/errors.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { makeTaskWorld } from "../cli/task-world.ts";

const full = diskError("TP_GIT", "No space left on device");

/** A fence of which nothing can be written. */
const broken: PassFence = {
  runner: { worker: "one", host: null, attempt: "first", task_phase: "0", node: process.version },
  isOwn: false,
  checkout: { branch: "task-phase/T-1", folder: "tasks/T-1" },
  lost: "refs/task-phase/lost/T-1/",
  ...{ met: new Set<string>(), unmerged: new Set<string>() },
  claim: () => Promise.reject(full),
  accept: () => Promise.reject(full),
  hasMoved: async () => false,
};

test("a claim that the disk refuses ends the watch of the pass, so that the process can end", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("one", "shape");
  const { signal } = new AbortController();
  const ports: PassPorts = {
    ...{ env: world.env, home: world.path("home"), cwd: world.folder, now: () => new Date() },
    ...{ redactor: createRedactor(world.env), signal, tell: () => undefined, fence: broken },
  };
  const request = { taskDir: task.taskDir, repo: null, model: null, models: null, timeoutMs: null, config: null };
  await assert.rejects(runPass({ ...request, dryRun: false, run: null }, ports), full);
  // The watch forwards this signal as long as its timers run.
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

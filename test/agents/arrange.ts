import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ModelRun } from "../../lib/agents/run/model-run.ts";
import type { ModelConfig } from "../../lib/documents/config/load-config.ts";
import { createMark } from "../../lib/process/mark.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { blockUntil, makeFolder, plainEnv } from "../process/arrange.ts";

export function modelConfig(changes: Partial<ModelConfig> = {}): ModelConfig {
  return {
    name: "mine",
    adapter: "command",
    command: ["sh", "-c", "cat"],
    prompt: "stdin",
    recordings: null,
    timeoutMs: 10_000,
    env: [],
    args: [],
    cheapArgs: null,
    estimateUsd: null,
    price: null,
    rateLimitPatterns: [],
    cooldownMs: 900_000,
    folder: "/nowhere",
    ...changes,
  };
}

/** A run in folders of its own: task, repo, work, recordings. */
export function modelRun(t: TestContext, model: Partial<ModelConfig> = {}, changes: Partial<ModelRun> = {}): ModelRun {
  const folder = makeFolder(t);
  for (const name of ["task", "repo", "work", "recordings"]) mkdirSync(join(folder, name));
  return {
    model: modelConfig({ recordings: join(folder, "recordings"), folder, ...model }),
    prompt: "do it",
    promptFile: join(folder, "prompt.md"),
    repo: join(folder, "repo"),
    taskDir: join(folder, "task"),
    phase: "implement",
    pass: 4,
    workFolder: join(folder, "work"),
    stdoutPath: join(folder, "stdout.log"),
    stderrPath: join(folder, "stderr.log"),
    timeoutMs: 10_000,
    graceMs: 150,
    env: plainEnv,
    now: () => new Date(),
    redactor: createRedactor({}),
    mark: createMark(join(folder, "work")),
    abort: null,
    tier: "default",
    sandbox: null,
    playedRecordings: 0,
    ...changes,
  };
}

/** The same run, whose time counts from when it has made the file `ready` in its repo. */
export function fromReady(run: ModelRun): ModelRun {
  return { ...run, onStart: () => blockUntil(() => existsSync(join(run.repo, "ready"))) };
}

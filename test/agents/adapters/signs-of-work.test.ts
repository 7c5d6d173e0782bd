import assert from "node:assert/strict";
import { test } from "node:test";
import { adapters } from "../../../lib/agents/adapters/adapters.ts";
import { workedIn } from "../recorded.ts";

/** By CLI: recordings in which the model did something, and those in which it only waited or was refused. */
const recordings = {
  pi: [
    ["edit", "edit-087", "killed", "recovered", "sigterm"],
    ["429", "429-087", "hang", "cut-087"],
  ],
  claude: [
    ["edit-stream", "recovered", "stall-stream", "sigint-stream"],
    ["hang-stream", "429-stream", "401-stream"],
  ],
  codex: [
    ["edit", "recovered", "home-in-tmp"],
    ["429", "cut"],
  ],
  gemini: [
    ["edit", "recovered", "loop"],
    ["429", "503", "sigterm"],
  ],
  copilot: [
    ["edit", "recovered"],
    ["429", "503", "cut", "401"],
  ],
  qwen: [
    ["edit", "recovered", "max-turns"],
    ["waits", "401", "400ctx"],
  ],
  opencode: [
    ["edit", "recovered", "stopped"],
    ["429", "quota-killed"],
  ],
} as const;

for (const cli of Object.keys(recordings) as (keyof typeof recordings)[]) {
  const [worked, waited] = recordings[cli];
  test(`${cli}: what the model says or does is a sign of work, and what the CLI says while it waits is none`, () => {
    assert.deepEqual(
      [...worked, ...waited].filter((name) => workedIn(adapters[cli], name)),
      worked,
    );
  });
}

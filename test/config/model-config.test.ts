import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { adapterNames, cliNames } from "../../lib/config/adapter-names.ts";
import { readModels } from "./arrange.ts";

/** What a model has whose keys are the two required ones. */
const plain = {
  command: null,
  prompt: "stdin",
  recordings: null,
  timeoutMs: 1_800_000,
  env: [],
  args: [],
  cheapArgs: null,
  estimateUsd: null,
  price: null,
  rateLimitPatterns: [],
  cooldownMs: 900_000,
};

test("each agent CLI needs a name and its adapter, and nothing else", () => {
  const models = readModels(`models: [${cliNames.map((name) => `{ name: my ${name}, adapter: ${name} }`).join(", ")}]`);
  assert.deepEqual(
    models.map(({ folder, ...model }) => model),
    cliNames.map((name) => ({ ...plain, name: `my ${name}`, adapter: name })),
  );
  assert.deepEqual(adapterNames, [...cliNames, "command", "replay"]);
});

test("every key of a model is read", () => {
  const [claude, mine] = readModels(`models:
  - name: claude
    adapter: claude
    args: [--model, opus, "", "two\\nlines"]
    timeout: 5m
    estimate_usd: 0.40
    price: { input_per_mtok: 3, output_per_mtok: 15.5 }
    rate_limit_patterns: ["come back (later|tomorrow)"]
    cooldown: 90s
    env: [ANTHROPIC_API_KEY]
    tiers: { cheap: { args: [--model, haiku] } }
  - { name: mine, adapter: command, command: [./agents/mine.sh, -q], prompt: file, tiers: { cheap: { args: [] } } }
`);
  assert.ok(claude !== undefined && mine !== undefined);
  assert.deepEqual(claude, {
    ...plain,
    name: "claude",
    adapter: "claude",
    args: ["--model", "opus", "", "two\nlines"],
    timeoutMs: 300_000,
    estimateUsd: 0.4,
    price: { inputPerMtok: 3, outputPerMtok: 15.5 },
    rateLimitPatterns: [/come back (later|tomorrow)/iu],
    cooldownMs: 90_000,
    env: ["ANTHROPIC_API_KEY"],
    cheapArgs: ["--model", "haiku"],
    folder: claude.folder,
  });
  assert.deepEqual(mine, {
    ...plain,
    name: "mine",
    adapter: "command",
    command: ["./agents/mine.sh", "-q"],
    prompt: "file",
    cheapArgs: [],
    folder: claude.folder,
  });
});

test("a key that is empty is as good as none, and a recording's folder is relative to the file", () => {
  const [model] = readModels(`models:
  - name: rehearsal
    adapter: replay
    recordings: recordings/
    estimate_usd:
    price: null
    rate_limit_patterns:
    cooldown:
    tiers: { cheap: null }
`);
  assert.ok(model?.recordings);
  assert.deepEqual(model, {
    ...plain,
    name: "rehearsal",
    adapter: "replay",
    recordings: model.recordings,
    folder: dirname(model.recordings),
  });
  assert.equal(model.folder.split("/").at(-1), "work");
});

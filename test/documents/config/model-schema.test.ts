import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { adapterNames, cliNames } from "../../../lib/documents/config/adapter-names.ts";
import { readModels, refuses } from "./arrange.ts";

const money = "US dollars per million tokens, a number of at least 0";
const model = (more: string) => `models: [{ name: a, adapter: pi, ${more} }]`;

refuses([
  [
    "models: [{ name: a/b, adapter: pi }]",
    "TP_CONFIG_VALUE 1:18 `models[1].name` must not contain a slash or comma, or begin or end with a space → give the model a short name",
  ],
  [
    "models: [{ name: ' a', adapter: pi }]",
    "TP_CONFIG_VALUE 1:18 `models[1].name` must not contain a slash or comma, or begin or end with a space → give the model a short name",
  ],
  [
    "models: [{ name: 'a,b', adapter: pi }]",
    "TP_CONFIG_VALUE 1:18 `models[1].name` must not contain a slash or comma, or begin or end with a space → give the model a short name",
  ],
  [
    "models: [{ name: constructor, adapter: pi }]",
    "TP_CONFIG_VALUE 1:18 `models[1].name` must not be the name of a JavaScript object property → give the model another name",
  ],
  [
    "models: [{ name: a, adapter: Claud }]",
    'TP_CONFIG_VALUE 1:30 `models[1].adapter` must be pi, claude, codex, gemini, opencode, copilot, qwen, command or replay, found the text "Claud" → did you mean `claude`?',
  ],
  [
    "models: [{ name: a, adapter: 5 }]",
    "TP_CONFIG_VALUE 1:30 `models[1].adapter` must be pi, claude, codex, gemini, opencode, copilot, qwen, command or replay, found 5 → write one of them",
  ],
  [
    "models: [{ name: a, adapter: command, command: x y }]",
    'TP_CONFIG_VALUE 1:48 `models[1].command` must be a list of words, found the text "x y" → write a list, since no shell runs it: command: [x, y]',
  ],
  [
    "models: [{ name: a, adapter: command, command: [x], prompt: stdout }]",
    'TP_CONFIG_VALUE 1:61 `models[1].prompt` must be stdin, argument or file, found the text "stdout" → write stdin',
  ],
  [
    model("env: [A=b]"),
    'TP_CONFIG_VALUE 1:40 `models[1].env[1]` must be the name of an environment variable, never its value, found the text "A=b" → write a name such as MY_API_KEY',
  ],
  [
    model("env: [TASK_PHASE_PASS]"),
    "TP_CONFIG_VALUE 1:40 `models[1].env[1]` must not begin with TASK_PHASE_: the runner sets those itself → remove it",
  ],
  [
    model("args: --quiet"),
    'TP_CONFIG_VALUE 1:40 `models[1].args` must be a list of arguments, found the text "--quiet" → write it as a list: args: [--quiet]',
  ],
  [
    model("args: [--max-turns, 5]"),
    "TP_CONFIG_VALUE 1:54 `models[1].args[2]` must be an argument of at most 4096 characters, found 5 → put the argument in quotes",
  ],
  [
    model("estimate_usd: -1"),
    "TP_CONFIG_VALUE 1:48 `models[1].estimate_usd` must be what a pass may cost in US dollars, a number of at least 0, found -1 → write a number such as 0.40",
  ],
  [
    model("estimate_usd: $1"),
    'TP_CONFIG_VALUE 1:48 `models[1].estimate_usd` must be what a pass may cost in US dollars, a number of at least 0, found the text "$1" → write a number such as 0.40',
  ],
  [
    model("price: { input_per_mtok: 3 }"),
    "TP_CONFIG_MISSING_KEY 1:41 `models[1].price.output_per_mtok` is missing → add `output_per_mtok:`",
  ],
  [
    model("price: { input_per_mtok: -3, output_per_mtok: .inf }"),
    `TP_CONFIG_VALUE 1:59 \`models[1].price.input_per_mtok\` must be ${money}, found -3 → write a number such as 3`,
    `TP_CONFIG_VALUE 1:80 \`models[1].price.output_per_mtok\` must be ${money}, found Infinity → write a number such as 3`,
  ],
  [
    model("price: { input: 3, input_per_mtok: 3, output_per_mtok: 3 }"),
    "TP_CONFIG_UNKNOWN_KEY 1:43 `models[1].price.input` is not a known key → did you mean `input_per_mtok`?",
  ],
  [
    model("cooldown: 0"),
    "TP_CONFIG_VALUE 1:44 `models[1].cooldown` must be a duration such as 90s, 5m or 2h, at most 168h, found 0 → write a number followed by s, m or h",
  ],
  [
    model("tiers: { cheep: { args: [] } }"),
    "TP_CONFIG_UNKNOWN_KEY 1:43 `models[1].tiers.cheep` is not a known key → did you mean `cheap`?",
  ],
  [model("tiers: { cheap: {} }"), "TP_CONFIG_MISSING_KEY 1:50 `models[1].tiers.cheap.args` is missing → add `args:`"],
  [
    model("tiers: { cheap: [--model, small] }"),
    "TP_CONFIG_VALUE 1:50 `models[1].tiers.cheap` must be a map with keys such as args, found a list → write `key: value` pairs",
  ],
]);

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

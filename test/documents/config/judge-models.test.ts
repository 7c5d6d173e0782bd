import assert from "node:assert/strict";
import { test } from "node:test";
import { adapterNames } from "../../../lib/documents/config/adapter-names.ts";
import { findRefusedArgs } from "../../../lib/documents/config/judge-models.ts";
import { refuses } from "./arrange.ts";

refuses([
  [
    "models: [{ name: a, adapter: replay }]",
    "TP_CONFIG_VALUE 1:21 `models[1]` (a) has the adapter replay but no `recordings` → add `recordings:`",
  ],
  [
    "models: [{ name: a, adapter: command }]",
    "TP_CONFIG_VALUE 1:21 `models[1]` (a) has the adapter command but no `command` → add `command:`",
  ],
  [
    "models: [{ name: a, adapter: command, command: [x], recordings: r }]",
    "TP_CONFIG_VALUE 1:53 `models[1]` (a) has a `recordings`, which the adapter command does not use → remove the key",
  ],
  [
    "models: [{ name: a, adapter: replay, recordings: r, prompt: stdin }]",
    "TP_CONFIG_VALUE 1:53 `models[1]` (a) has a `prompt`, which the adapter replay does not use → remove the key",
  ],
  [
    "models: [{ name: a, adapter: claude, command: [claude], prompt: stdin, recordings: r }]",
    "TP_CONFIG_VALUE 1:38 `models[1]` (a) has a `command`, which the adapter claude does not use → remove the key",
    "TP_CONFIG_VALUE 1:57 `models[1]` (a) has a `prompt`, which the adapter claude does not use → remove the key",
    "TP_CONFIG_VALUE 1:72 `models[1]` (a) has a `recordings`, which the adapter claude does not use → remove the key",
  ],
  [
    "models: [{ name: a, adapter: pi }, { name: a, adapter: pi }]",
    "TP_CONFIG_VALUE 1:38 `models[2]` (a) has the same name as another model → give each model its own name",
  ],
  [
    "models: [{ name: a, adapter: pi, args: [--mode=text], tiers: { cheap: { args: [--model, b, -r] } } }]",
    "TP_CONFIG_VALUE 1:41 `models[1]` (a) must not have `--mode` in `args`: it changes what the CLI prints, and the runner has to read that → remove it",
    "TP_CONFIG_VALUE 1:92 `models[1]` (a) must not have `-r` in `tiers.cheap.args`: it continues an earlier session, and each pass needs its own → remove it",
  ],
]);

test("a flag that the runner needs for itself is found, with its value or without", () => {
  assert.deepEqual(findRefusedArgs("claude", ["--model", "opus", "--output-format=text", "-c"]), [
    {
      index: 2,
      flag: "--output-format",
      why: "changes what the CLI prints, and the runner has to read that",
      fix: "remove it",
    },
    { index: 3, flag: "-c", why: "continues an earlier session, and each pass needs its own", fix: "remove it" },
  ]);
});

for (const [adapter, words] of [
  ["pi", "--mode -c --continue -r --resume --session --fork"],
  [
    "claude",
    "--output-format --input-format -c --continue -r --resume --from-pr --teleport -w --worktree --cloud --bg --version -v",
  ],
  ["codex", "--json --color --ephemeral --skip-git-repo-check -C --cd --worktree --last -o --output-last-message"],
  ["codex", "resume fork review apply login logout mcp"],
  ["gemini", "-o --output-format -r --resume --session-file -w --worktree -i --prompt-interactive -p --prompt --acp"],
  ["copilot", "--output-format -r --resume --continue --session-id -C -i --interactive --acp -p --prompt --share -v"],
  ["qwen", "-o --output-format --input-format -c --continue -r --resume -i --acp -p --prompt --json-file --version"],
  ["opencode", "--format -c --continue -s --session --fork --dir --attach -i --interactive"],
] as const) {
  test(`${adapter} does not get what would end its contract with the runner: ${words.slice(0, 20)}`, () => {
    const flags = words.split(" ");
    assert.deepEqual(
      findRefusedArgs(adapter, flags).map((found) => found.flag),
      flags,
    );
  });
}

test("a short flag is found with its value attached, and a long one behind its equals sign", () => {
  const flags = (adapter: "claude" | "codex" | "gemini", ...words: string[]) =>
    findRefusedArgs(adapter, words).map(({ flag }) => flag);
  assert.deepEqual(flags("claude", "-rx", "-c=1"), ["-r", "-c"]);
  assert.deepEqual(flags("codex", "-olast.txt", "-o=last.txt", "--output-last-message=x", "-C/tmp"), [
    "-o",
    "-o",
    "--output-last-message",
    "-C",
  ]);
  assert.deepEqual(flags("gemini", "-pgo", "-ojson"), ["-p", "-o"]);
  assert.deepEqual(flags("claude", "-c is what it wants", "-dx", "-"), []);
});

test("a word of codex is left alone where it is the value of a flag", () => {
  assert.deepEqual(findRefusedArgs("codex", ["-p", "review", "--model", "mcp", "--profile=login"]), []);
  assert.deepEqual(
    findRefusedArgs("codex", ["--oss", "resume", "--model=x", "apply"]).map(({ index, flag }) => [index, flag]),
    [
      [1, "resume"],
      [3, "apply"],
    ],
  );
});

test("flags that a CLI takes beside the runner's own are left alone", () => {
  const usual = [
    ["pi", "--model p/m --thinking off --extension x --append-system-prompt text"],
    ["claude", "--model opus --max-turns 5 --max-budget-usd 1 --dangerously-skip-permissions --mcp-config x -d -n y"],
    ["codex", '-s read-only -m x -p work -c model="x" --add-dir y --dangerously-bypass-approvals-and-sandbox'],
    ["gemini", "-m x --approval-mode auto_edit -y --include-directories y -e none"],
    ["opencode", "-m p/m --title x --agent build --variant high -f x"],
  ] as const;
  assert.deepEqual(
    usual.flatMap(([adapter, words]) => findRefusedArgs(adapter, words.split(" "))),
    [],
  );
});

test("a program of somebody's own and a recording take any word", () => {
  const own = adapterNames.filter((name) => name === "command" || name === "replay");
  assert.deepEqual(
    own.map((adapter) => findRefusedArgs(adapter, ["-c", "--output-format", "--json"])),
    [[], []],
  );
});

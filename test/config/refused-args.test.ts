import assert from "node:assert/strict";
import { test } from "node:test";
import { adapterNames } from "../../lib/config/adapter-names.ts";
import { findRefusedArgs } from "../../lib/config/refused-args.ts";

test("a flag that the runner needs for itself is found, with its value or without", () => {
  assert.deepEqual(findRefusedArgs("claude", ["--model", "opus", "--output-format=text", "-c"]), [
    {
      index: 2,
      flag: "--output-format",
      why: "changes what the CLI prints, and the runner has to read that",
      fix: "remove it",
    },
    {
      index: 3,
      flag: "-c",
      why: "continues an earlier session, and each pass needs its own",
      fix: "remove it",
    },
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

test("what a CLI takes beside the runner's own words is left alone", () => {
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

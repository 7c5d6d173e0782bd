import assert from "node:assert/strict";
import { test } from "node:test";
import { adapterNames } from "../../lib/config/adapter-names.ts";
import { findRefusedArgs } from "../../lib/config/refused-args.ts";

test("a flag that the runner needs for itself is found, with its value or without", () => {
  assert.deepEqual(findRefusedArgs("claude", ["--model", "opus", "--output-format=text", "-c"]), [
    {
      index: 2,
      flag: "--output-format",
      why: "decides what the CLI prints, and the runner reads that",
      fix: "remove it",
    },
    {
      index: 3,
      flag: "-c",
      why: "goes on with an earlier session, and each pass is one of its own",
      fix: "remove it",
    },
  ]);
});

for (const [adapter, words] of [
  ["pi", "--mode -c --continue -r --resume --session --fork"],
  [
    "claude",
    "--output-format --input-format -c --continue -r --resume --from-pr --teleport -w --worktree --cloud --bg",
  ],
  ["codex", "--json --color --ephemeral --skip-git-repo-check -C --cd --worktree"],
  ["gemini", "-o --output-format -r --resume --session-file -w --worktree -i --prompt-interactive --acp"],
  ["opencode", "--format -c --continue -s --session --fork --dir --attach -i --interactive"],
] as const) {
  test(`${adapter} does not get what would end its contract with the runner`, () => {
    const flags = words.split(" ");
    assert.deepEqual(
      findRefusedArgs(adapter, flags).map((found) => found.flag),
      flags,
    );
  });
}

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

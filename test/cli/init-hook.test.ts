import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { type TestContext, test } from "node:test";
import type { InputStream } from "../../lib/cli/io.ts";
import { onlyStopHook } from "../../lib/scaffold/init/stop-hook.ts";
import { makeWorld, type World } from "./arrange.ts";

const settings = "repo/.claude/settings.json";

/** `init --hook` by a person at a terminal who answers so. */
async function callAsked(world: World, answer: string, words: readonly string[] = ["--hook", "claude"]) {
  const asked: string[] = [];
  const terminal: InputStream = {
    kind: "terminal",
    read: async () => assert.fail("it was read to its end"),
    line: async (question) => {
      asked.push(question);
      return answer;
    },
  };
  const end = await world.call("task-phase", ["init", ...words], { cwd: "repo/src", stdin: terminal });
  return { code: end.code, out: end.stderr + end.stdout, asked };
}

function makeRepo(t: TestContext): World {
  const world = makeWorld(t);
  world.initRepo({ "src/a.js": "a\n" });
  return world;
}

test("init --hook asks a person at a terminal, and writes the settings of the repo after a yes alone", async (t) => {
  const world = makeRepo(t);
  for (const answer of ["", "n\n", "no", "yesterday\n"]) {
    const end = await callAsked(world, answer);
    assert.deepEqual([end.code, end.out, world.exists(settings)], [0, "nothing was written\n", false]);
    assert.deepEqual(end.asked, [
      `${world.path(settings)}: add a Stop hook that runs \`task-phase prove --hook\`? [y/N] `,
    ]);
  }
  const made = await callAsked(world, "Y\n");
  assert.equal(made.code, 0);
  assert.match(made.out, /^made .*\/\.claude\/settings\.json\n/);
  assert.equal(world.read(settings), onlyStopHook);
  const again = await callAsked(world, "y\n");
  assert.match(again.out, /^kept .*: it has the hook\n/);
  assert.deepEqual([again.asked, world.read(settings)], [[], onlyStopHook]);
  assert.equal(world.exists("repo/tasks"), false);
  const codex = await callAsked(world, "yes\n", ["--hook", "codex"]);
  assert.deepEqual([codex.code, world.read("repo/.codex/hooks.json")], [0, onlyStopHook]);
});

test("without a terminal it prints what to paste, and writes nothing", async (t) => {
  const world = makeRepo(t);
  world.write(settings, '{ "model": "opus" }\n');
  const end = await world.call("task-phase-init", ["--hook", "claude"], { cwd: "repo" });
  assert.deepEqual([end.code, end.stdout], [0, onlyStopHook]);
  assert.equal(end.stderr, "nothing was written; add this to .claude/settings.json:\n");
  assert.equal(world.read(settings), '{ "model": "opus" }\n');
  const json = await world.call("task-phase-init", ["--hook", "claude", "--json"], { cwd: "repo" });
  assert.deepEqual([json.json().made, json.json().kept], [[], []]);
});

test("settings that are there keep every key, and a damaged or linked file is refused as it is", async (t) => {
  const world = makeRepo(t);
  world.write(settings, '{\n  "model": "opus",\n  "hooks": { "Stop": [], "Mine": [1] }\n}\n');
  const end = await callAsked(world, "y\n");
  assert.match(end.out, /^added the hook to /);
  const { model, hooks } = JSON.parse(world.read(settings)) as { model: string; hooks: Record<string, unknown[]> };
  assert.deepEqual([model, hooks.Mine, hooks.Stop], ["opus", [1], JSON.parse(onlyStopHook).hooks.Stop]);
  world.write(settings, "{ // mine\n}\n");
  const bad = await callAsked(world, "y\n");
  assert.deepEqual([bad.code, bad.asked, world.read(settings)], [65, [], "{ // mine\n}\n"]);
  assert.match(bad.out, /TP_INIT_HOOK/);
  world.write("elsewhere.json", "{}\n");
  const codex = "repo/.codex/hooks.json";
  world.write("repo/.codex/other", "");
  symlinkSync(world.path("elsewhere.json"), world.path(codex));
  assert.equal((await callAsked(world, "y\n", ["--hook", "codex"])).code, 65);
  assert.equal(readFileSync(world.path("elsewhere.json"), "utf8"), "{}\n");
});

test("another CLI, and a flag of a task beside it, are usage errors", async (t) => {
  const world = makeRepo(t);
  const other = await world.call("task-phase-init", ["--hook", "cursor"], { cwd: "repo" });
  assert.equal(other.code, 64);
  assert.match(other.stderr, /--hook expects claude or codex, found 'cursor'/);
  const both = await world.call("task-phase-init", ["--hook", "claude", "--skill"], { cwd: "repo" });
  assert.equal(both.code, 64);
  assert.match(both.stderr, /--hook makes only the hook, so it cannot be combined with --skill/);
});

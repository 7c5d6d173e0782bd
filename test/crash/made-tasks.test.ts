import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeWorld, type World } from "../cli/arrange.ts";

const preload = pathToFileURL(path.join(import.meta.dirname, "kill-before.js")).href;

function makeRepo(t: TestContext): World {
  const world = makeWorld(t);
  world.initRepo({ "package.json": '{ "scripts": { "test": "true" } }' });
  return world;
}

/** The calls of node:fs that the command makes, or null: it is killed before one of them. */
async function call(world: World, words: readonly string[], at: number): Promise<string[] | null> {
  const list = world.path(`calls-${at}.txt`);
  const query = at === 0 ? `at=0&list=${encodeURIComponent(list)}` : `at=${at}`;
  const env = { NODE_OPTIONS: `--import="${preload}?${query}"` };
  const end = await world.run("task-phase", words, { cwd: "repo", env });
  if (at !== 0) return end.signal === "SIGKILL" ? null : [];
  assert.equal(end.code, 0, end.stderr);
  return world.read(`calls-${at}.txt`).trim().split("\n");
}

const wholeTask = ["EVIDENCE.md", "README.md", "STATE.md", "artifacts", "last_error.txt", "log.txt", "progress.txt"];

async function assertWhole(world: World, folders: readonly string[], words: readonly string[]): Promise<void> {
  assert.equal((await world.run("task-phase", words, { cwd: "repo" })).code, 0);
  const made = readdirSync(world.path("repo/tasks"), { withFileTypes: true });
  assert.deepEqual(
    made.filter((entry) => entry.isDirectory() && entry.name !== ".task-phase").map(({ name }) => name),
    folders,
  );
  for (const folder of folders) {
    const names = readdirSync(world.path("repo/tasks", folder));
    assert.deepEqual(names.filter((name) => name !== "TASKS.md").sort(), wholeTask);
  }
  assert.deepEqual(readdirSync(world.path("repo/tasks/.task-phase/locks")).sort(), [".gitignore", ".import.lock"]);
  assert.match(world.read("repo/tasks/.gitignore"), /locks/);
  assert.match(world.read("repo/tasks/.gitattributes"), /./);
}

test("an init that is killed leaves a whole task or none", async (t) => {
  const words = ["init", "Round"];
  const calls = await call(makeRepo(t), words, 0);
  const writes = calls?.flatMap((name, index) => (/^linkSync.*STATE\.md/.test(name) ? [index + 1] : [])) ?? [];
  assert.equal(writes.length, 1);
  for (const at of writes) {
    const world = makeRepo(t);
    assert.equal(await call(world, words, at), null);
    await assertWhole(world, ["T-1-round"], words);
  }
});

test("an import that is killed once the tasks are there is finished by the next one", async (t) => {
  const words = ["import", "--from", "prd.json", "--tasks-root", "tasks"];
  const story = { id: "US-1", title: "Round", description: "Round.", acceptanceCriteria: ["It rounds"], priority: 1 };
  const prd = JSON.stringify({
    ...{ project: "x", branchName: "x", description: "x" },
    userStories: [{ ...story, passes: false, notes: "" }],
  });
  const arrange = (): World => {
    const world = makeRepo(t);
    world.write("repo/prd.json", prd);
    return world;
  };
  const calls = await call(arrange(), words, 0);
  const moved = calls?.findIndex((name) => name.startsWith("renameSync") && name.includes("import-")) ?? -1;
  assert.notEqual(moved, -1);
  const world = arrange();
  assert.equal(await call(world, words, moved + 2), null);
  await assertWhole(world, ["US-1-round"], words);
});

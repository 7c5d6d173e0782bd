import assert from "node:assert/strict";
import { cpSync, readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { tryLock } from "../../lib/store/lock.ts";
import { makeBranchWorld } from "../cli/branch-world.ts";

describe("several tasks on branches of their own", () => {
  test("a task that is done on its branch is to be landed, and no link or path leads to the older folder", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
    world.write("repo/tasks/T-1/EVIDENCE.md", "older\n");
    const { stderr } = await world.ends(0, "loop", "T-1");
    assert.match(stderr, /^next: task-phase land --all$/m);
    assert.doesNotMatch(stderr, /^evidence:/m);
    const commit = world.git("repo", "rev-parse", "task-phase/T-1").trim();
    const branch = { ref: "refs/heads/task-phase/T-1", commit, merged: false };
    const { tasks } = JSON.parse((await world.ends(0, "status", "--json")).stdout);
    assert.deepEqual([tasks[0].branch, tasks[0].evidence.path, tasks[1].branch], [branch, null, undefined]);
    assert.deepEqual(JSON.parse((await world.ends(0, "status", "T-1", "--json")).stdout).branch, branch);
    assert.match((await world.ends(0, "status")).stdout, /^next: task-phase run T-2$/m);
    await world.ends(0, "board");
    const board = world.read("repo/tasks/BOARD.md");
    assert.doesNotMatch(board, /\]\(T-1\/|moved since/);
    assert.match(board, /\]\(T-2\/STATE\.md\)/);
    await world.ends(0, "loop");
    assert.match((await world.ends(0)).stdout, /^next: task-phase land --all$/m);
    await world.ends(0, "land", "--all");
    assert.match((await world.ends(0)).stdout, /^next: every task is done$/m);
  });

  test("a task has what it depends on, though one has landed and the other has not", async (t) => {
    const contract = ["depends_on: [T-1, T-2]"];
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {}, "T-3": { contract } });
    await world.ends(0, "loop", "--jobs", "2", "--max-passes", "6");
    await world.ends(0, "land", "T-1");
    await world.ends(0, "loop", "T-3");
    for (const id of ["T-1", "T-2", "T-3"])
      assert.equal(world.git("repo", "show", `task-phase/T-3:${id}.txt`), `work of ${id}\n`);
  });

  test("a task begins where what it depends on ended; several of them are merged", async (t) => {
    const needs = (...ids: string[]) => ({ contract: [`depends_on: [${ids.join(", ")}]`] });
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {}, "T-3": needs("T-1"), "T-4": needs("T-1", "T-2") });
    await world.ends(0, "loop", "--jobs", "2");
    const files = (task: string) => world.git("repo", "ls-tree", "--name-only", `task-phase/${task}`);
    assert.match(files("T-3"), /T-1\.txt\nT-3\.txt/);
    assert.match(files("T-4"), /T-1\.txt\nT-2\.txt\nT-4\.txt/);
    assert.doesNotMatch(files("T-1"), /T-2\.txt/);
  });

  test("sweeps what killed calls left of tasks that are done or gone, and nothing else; doctor counts it", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {}, "T-3": {} });
    await world.ends(0, "loop", "T-1");
    await world.ends(0, "show", "T-1");
    const cache = world.path("home/.cache/task-phase");
    const [key = ""] = readdirSync(`${cache}/views`);
    const at = (kind: string) => `${cache}/${kind}/${key}`;
    for (const to of ["clones/T-1", "land/T-1", "clones/T-3", "views/T-3", "clones/T-8", "clones/T-9"]) {
      const [kind = "", task = ""] = to.split("/");
      cpSync(`${at("views")}/T-1`, `${at(kind)}/${task}`, { recursive: true });
    }
    cpSync(world.path("repo"), `${at("clones")}/T-7`, { recursive: true });
    const lock = tryLock(`${at("work")}/T-8.lock`);
    const kept = async () => {
      const report = JSON.parse((await world.call("task-phase", ["doctor", "--json"], { cwd: "repo" })).stdout);
      return report.cache_folder.kept.map(({ kind, count }: { kind: string; count: number }) => `${count} ${kind}`);
    };
    assert.deepEqual(await kept(), ["6 clones", "1 dependencies", "2 views", "1 workspaces"]);
    await world.ends(0, "loop", "T-2");
    assert.deepEqual(readdirSync(at("clones")), ["T-3", "T-7", "T-8"]);
    assert.deepEqual([readdirSync(at("views")), readdirSync(at("land"))], [["T-1", "T-3"], []]);
    lock?.release();
    await world.ends(0, "land", "--all");
    assert.deepEqual([readdirSync(at("clones")), readdirSync(at("views"))], [["T-3", "T-7"], ["T-3"]]);
    assert.deepEqual(await kept(), ["2 clones", "1 views", "1 workspaces"]);
    assert.match(
      (await world.call("task-phase", ["doctor"], { cwd: "repo" })).stdout,
      /cache .*clones: 2 \(\d+\.\d MB\)/,
    );
  });
});

import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { type BranchWorld, makeBranchWorld } from "../cli/branch-world.ts";

const cache = "home/.cache/task-phase";

/** The one folder of T-1 there. */
function find({ path }: BranchWorld, kind: "clones" | "lost"): string {
  const [key = "none"] = readdirSync(path(cache, kind));
  return path(cache, kind, key, "T-1");
}

/** As a power cut leaves what nobody synced. */
function lose(file: string): void {
  writeFileSync(file, Buffer.alloc(readFileSync(file).length));
}

describe("the working tree of a claimed pass that was cut off", () => {
  for (const file of [".git/HEAD", ".git/config"]) {
    test(`is put aside and the pass is done again if ${file} is lost`, async (t) => {
      const kill = `kill -9 $PPID; sleep 60`;
      const world = makeBranchWorld(t, { "T-1": { plan: [":", kill] } });
      await world.ends(0, "run", "T-1");
      const before = world.mine();
      assert.equal((await world.run("task-phase", ["run", "T-1"], { cwd: "repo" })).signal, "SIGKILL");
      lose(`${find(world, "clones")}/${file}`);
      const { stderr } = await world.ends(0, "run", "T-1");
      assert.match(stderr, /pass 3 was damaged, as by a power cut.*TP_CLONE_DAMAGED/);
      assert.ok(!stderr.includes(world.path("repo/.git")), "a person's own git is whole");
      assert.equal(readdirSync(find(world, "lost")).length, 1);
      assert.equal(world.mine(), before);
      await world.ends(0, "loop");
      await world.ends(0, "land", "T-1");
      assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
    });
  }

  test("has whole files on the branch, whichever a power cut took or tore that the pass did not touch", async (t) => {
    const kill = "kill -9 $PPID; sleep 60";
    const world = makeBranchWorld(t, { "T-1": { plan: [":", kill] } });
    const big = "line\n".repeat(2000);
    world.write("repo/src/big.txt", big);
    world.write("repo/src/other.txt", "other\n");
    world.git("repo", "add", "src");
    world.git("repo", "commit", "-qm", "more");
    await world.ends(0, "run", "T-1");
    const brief = world.onBranch("T-1", "README.md");
    assert.equal((await world.run("task-phase", ["run", "T-1"], { cwd: "repo" })).signal, "SIGKILL");
    const clone = find(world, "clones");
    writeFileSync(`${clone}/tasks/T-1/README.md`, "");
    lose(`${clone}/tasks/T-1/artifacts/passes/0001/prompt.md`);
    writeFileSync(`${clone}/src/big.txt`, big.slice(0, 4096));
    rmSync(`${clone}/src/other.txt`);
    const [folder = ""] = readdirSync(world.path(cache, "work"));
    const note = world.path(cache, "work", folder, "T-1.json");
    writeFileSync(note, readFileSync(note, "utf8").replace(/"boot":"[^"]*"/, '"boot":"an earlier one"'));
    assert.match((await world.ends(0, "run", "T-1")).stderr, /TP_RECOVERED/);
    assert.equal(world.onBranch("T-1", "README.md"), brief);
    assert.equal(world.git("repo", "show", "task-phase/T-1:src/big.txt"), big);
    assert.equal(world.git("repo", "show", "task-phase/T-1:src/other.txt"), "other\n");
    assert.doesNotMatch(world.onBranch("T-1", "artifacts/passes/0001/prompt.md"), /\0/);
    await world.ends(0, "loop");
    await world.ends(0, "land", "T-1");
    assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
  });
});

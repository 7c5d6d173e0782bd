import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
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
      assert.equal(readdirSync(find(world, "lost")).length, 1);
      assert.equal(world.mine(), before);
      await world.ends(0, "loop");
      await world.ends(0, "land", "T-1");
      assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
    });
  }
});

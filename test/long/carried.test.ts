import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type BranchWorld, makeBranchWorld } from "../cli/branch-world.ts";

const see =
  "for f in $(cd node_modules && find . -type f | sort); do echo $f $(cat node_modules/$f); done > $plans/seen";

/** What an agent may do to a dependency of its pass, none of which another pass may see. */
const evils: Readonly<Record<string, string>> = {
  "changed in its length": "echo evil >> node_modules/dep/index.js",
  "changed with its time set back":
    "touch -r node_modules/dep/index.js $plans/time; printf 'evil\\n' > node_modules/dep/index.js; touch -r $plans/time node_modules/dep/index.js",
  removed: "rm node_modules/dep/index.js",
  added: "echo evil > node_modules/dep/more.js; mkdir node_modules/evil; echo evil > node_modules/evil/index.js",
  "exchanged for another of the same":
    "cp -p node_modules/dep/index.js elsewhere; echo evil > elsewhere; mv elsewhere node_modules/dep/index.js",
  "a link in the place of its folder":
    "mv node_modules/dep elsewhere; echo evil > elsewhere/index.js; ln -s ../elsewhere node_modules/dep",
  "a link in the place of all":
    "rm -rf node_modules; mkdir elsewhere; echo evil > elsewhere/index.js; ln -s elsewhere node_modules",
};

/** A task of three passes, of which the first and the last call the agent. */
async function makeCarrying(t: TestContext, plan: readonly string[], names: readonly string[]): Promise<BranchWorld> {
  const world = makeBranchWorld(t, { "T-1": { plan: plan.map((line) => `cd $TASK_PHASE_REPO; ${line}`) } });
  world.write("repo/.gitignore", "node_modules\nelsewhere\n");
  world.git("repo", "commit", "-qam", "ignore");
  for (const name of names) world.write(`repo/node_modules/${name}.js`, "good\n");
  // So long after a change an original counts as settled.
  await sleep(3_200);
  return world;
}

describe("dependencies from one pass in a clone to the next", { concurrency: 2 }, () => {
  for (const [what, evil] of Object.entries(evils)) {
    test(`an agent's leavings are not seen again: ${what}`, async (t) => {
      const inode = "stat -c %i node_modules/dep/kept.js";
      const plan = [`${inode} > $plans/first; ${evil}`, `${see}; ${inode} > $plans/last`];
      const world = await makeCarrying(t, plan, ["dep/index", "dep/kept"]);
      for (let pass = 0; pass < 3; pass += 1) await world.ends(0, "run", "T-1");
      assert.equal(world.read("plans/seen"), "./dep/index.js good\n./dep/kept.js good\n");
      assert.equal(world.read("repo/node_modules/dep/index.js"), "good\n");
      const isSame = world.read("plans/first") === world.read("plans/last");
      if (!what.startsWith("a link")) assert(isSame, "what nobody touched is not copied again");
    });
  }

  test("a person's later change is carried anew, and a link in the place of a folder is not followed", async (t) => {
    const world = await makeCarrying(t, ["", see], ["a", "b", "c"]);
    await world.ends(0, "run", "T-1");
    world.write("repo/node_modules/a.js", "better\n");
    rmSync(world.path("repo/node_modules/b.js"));
    world.write("repo/node_modules/d.js", "new\n");
    await world.ends(0, "run", "T-1");
    const cache = world.path("home", ".cache", "task-phase");
    const [key = ""] = readdirSync(`${cache}/carried`);
    const note = JSON.parse(readFileSync(`${cache}/work/${key}/T-1.carried`, "utf8"));
    assert.deepEqual(Object.keys(note.folders.node_modules).sort(), ["", "a.js", "c.js", "d.js"]);
    const kept = `${cache}/carried/${key}/T-1`;
    const [name = ""] = readdirSync(kept).filter((each) => each !== "clock");
    renameSync(`${kept}/${name}`, world.path("away"));
    symlinkSync(world.path("away"), `${kept}/${name}`);
    await world.ends(0, "run", "T-1");
    assert.equal(world.read("plans/seen"), "./a.js better\n./c.js good\n./d.js new\n");
    assert.equal(world.read("away/a.js"), "better\n");
    await world.ends(0, "land", "--all");
    assert.deepEqual(readdirSync(`${cache}/carried/${key}`), []);
  });
});

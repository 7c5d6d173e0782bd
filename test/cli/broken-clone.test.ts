import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeBranchWorld } from "./branch-world.ts";

describe("what an agent does to the git of its clone", () => {
  for (const [name, harm] of [
    ["no .git", "rm -rf .git"],
    ["a config that git cannot read", "echo '[broken' >> .git/config"],
    ["an index that is none", "echo none > .git/index"],
  ] as const) {
    test(`ends its own pass and no other task's: ${name}`, async (t) => {
      const world = makeBranchWorld(t, { "T-1": { plan: [harm] }, "T-2": {} });
      const before = world.mine();
      const { stderr } = await world.ends(1, "loop");
      assert.match(stderr, /git no longer works in the clone of this pass.*TP_CLONE_DAMAGED/);
      assert.ok(!stderr.includes("make sure that git status works there"), "a person's own git is whole");
      assert.equal(await world.phaseOf("T-2"), "done");
      await world.ends(0, "loop");
      assert.equal(await world.phaseOf("T-1"), "done");
      assert.equal(world.mine(), before);
    });
  }

  test("keeps no later pass from the task if its attributes store other bytes", async (t) => {
    const harm = "echo '* working-tree-encoding=UTF-16LE' > .gitattributes";
    const world = makeBranchWorld(t, { "T-1": { plan: [harm] } });
    assert.match((await world.ends(1, "loop")).stderr, /TP_GIT_LEFT_OUT/);
    assert.match((await world.ends(0, "loop")).stderr, /pass 1 cannot be used.*\n.*what is left of it is in /);
    assert.equal(await world.phaseOf("T-1"), "done");
  });
});

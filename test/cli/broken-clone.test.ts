import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
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

test("a clone on a full disk is named by its own path, and the next loop goes on", async (t) => {
  const world = makeBranchWorld(t, { "T-1": {} });
  const cache = world.path("home/.cache");
  mkdirSync(cache, { recursive: true });
  world.write("repo/large.bin", "0123456789abcdef".repeat(20_000));
  world.git("repo", "add", "large.bin");
  world.git("repo", "commit", "--quiet", "--message=Large");
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=200k,mode=700", "tmpfs", cache]).status !== 0)
    return t.skip("a small file system can be mounted by root only");
  try {
    const before = world.mine();
    const { stderr } = await world.ends(1, "loop");
    assert.match(stderr, /cannot run git checkout in \S*\/clones\/\S*\/T-1: the disk is full \(ENOSPC\) \[TP_DISK\]/);
    spawnSync("mount", ["-o", "remount,size=100m", cache]);
    await world.ends(0, "loop");
    assert.equal(await world.phaseOf("T-1"), "done");
    assert.equal(world.mine(), before);
  } finally {
    spawnSync("umount", ["-l", cache]);
  }
});

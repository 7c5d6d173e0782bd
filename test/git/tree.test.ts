import assert from "node:assert/strict";
import { existsSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { captureTree, maxCapturedBytes } from "../../lib/git/tree.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

test("a tree of one moment has what is not ignored, and leaves the repository as it is", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { ".gitignore": "*.log\n", same: "1", edited: "1", gone: "1", "out/a": "1", "in/b": "1" });
    write(repo, {
      edited: "22",
      new: "n",
      "a.log": "x",
      "out/a": "22",
      "out/new": "n",
      ".task-phase/x": "x",
      large: "",
    });
    truncateSync(join(repo, "large"), maxCapturedBytes + 1);
    rmSync(join(repo, "gone"));
    const status = git(repo, "status", "--porcelain");
    const scratch = join(folder, "scratch");
    write(scratch, { left: "of an earlier pass" });
    const captured = (await captureTree(repo, scratch, [join(repo, "out")], gitEnv)) ?? assert.fail();
    write(repo, { edited: "later", new: "later" });
    assert.equal(existsSync(join(scratch, "left")), false);
    const tree = await captured.tree();
    assert.equal(await captured.tree(), tree);
    const read = (path: string) => git(repo, "cat-file", "-p", `${tree}:${path}`);
    assert.throws(() => read("new"), "the repository has no object of it");
    write(repo, { ".git/objects/info/alternates": `${join(scratch, "objects")}\n` });
    const names = git(repo, "ls-tree", "-r", "--name-only", tree).trim().split("\n");
    assert.deepEqual(names, [".gitignore", "edited", "in/b", "new", "out/a", "same"]);
    assert.deepEqual([read("edited"), read("new"), read("out/a")], ["22", "n", "1"]);
    rmSync(join(repo, ".git/objects/info/alternates"));
    write(repo, { edited: "22", new: "n" });
    assert.equal(git(repo, "status", "--porcelain"), status);
    const inside = (await captureTree(join(repo, "in"), scratch, [], gitEnv)) ?? assert.fail();
    assert.equal(inside.inside.toString(), "in");
    assert.equal(await captureTree(folder, scratch, [], gitEnv), null);
  }));

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { foldersAbove, foldersOf } from "../../../lib/checks/proof/listed-folders.ts";
import { makeRepo } from "../../git/git-repo.ts";
import { withFolder } from "../../store/temporary-folder.ts";

test("each folder above a path is listed once, without the repo and without names that are not UTF-8", () => {
  assert.deepEqual([...foldersOf(["a.txt", "a/b/c.txt", "a/b/d.txt", "a/e.txt", "//f/g.txt"])], ["a/b", "a"]);
  assert.deepEqual([...foldersOf([])], []);
});

test("the folders above a repo lead up to the top of the work tree that holds it", () =>
  withFolder((folder) => {
    makeRepo(join(folder, "top"), {});
    mkdirSync(join(folder, "top/packages/app"), { recursive: true });
    mkdirSync(join(folder, "plain"));
    assert.deepEqual(foldersAbove(join(folder, "top/packages/app")), ["..", "../.."]);
    assert.deepEqual(foldersAbove(join(folder, "top/packages")), [".."]);
    assert.deepEqual(foldersAbove(join(folder, "top")), []);
    assert.deepEqual(foldersAbove(join(folder, "plain")), []);
  }));

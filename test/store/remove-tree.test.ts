import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clearWay, removeTree } from "../../lib/store/remove-tree.ts";
import { write } from "../git/git-repo.ts";
import { isDiskError, refusing } from "./refused-calls.ts";
import { withFolder } from "./temporary-folder.ts";

test("a folder is removed with all that is in it, and a missing one is no error", () =>
  withFolder((folder) => {
    for (const remove of [removeTree, clearWay]) {
      write(folder, { "in/a": "", "in/deep/b": "" });
      assert.equal(remove(join(folder, "in")), true);
      assert.equal(existsSync(join(folder, "in")), false);
      assert.equal(remove(join(folder, "in")), true);
    }
  }));

test("what cannot be removed is reported, and a failing disk is an error if the way must be clear", () =>
  withFolder((folder) => {
    write(folder, { "in/a": "" });
    const path = join(folder, "in");
    const refused = (code: string, remove: (path: string) => boolean) =>
      refusing("rmSync", code, /in$/, () => remove(path));
    for (const remove of [removeTree, clearWay]) assert.equal(refused("EACCES", remove), false);
    assert.equal(refused("EIO", removeTree), false);
    assert.throws(() => refused("EIO", clearWay), isDiskError);
    assert.equal(existsSync(join(path, "a")), true);
  }));

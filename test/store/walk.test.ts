import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listFolder, listReadable, walkTree } from "../../lib/store/walk.ts";
import { write } from "../git/git-repo.ts";
import { isRoot, withFolder } from "./temporary-folder.ts";

test("a folder is listed in the order of the bytes of its names, and is empty if there is none", () =>
  withFolder((folder) => {
    const odd = Buffer.from([0xff, 0x61]);
    write(folder, { b: "", "a/x": "", Z: "" });
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), odd]), "");
    symlinkSync("a", join(folder, "link"));
    const entries = listFolder(Buffer.from(folder));
    assert.deepEqual(
      entries.map(({ name }) => name.toString("latin1")),
      ["Z", "a", "b", "link", "\xffa"],
    );
    assert.deepEqual(
      entries.map((entry) => entry.isDirectory()),
      [false, true, false, false, false],
    );
    for (const name of ["none", "b"]) {
      assert.deepEqual(listFolder(Buffer.from(join(folder, name))), []);
      assert.deepEqual(listReadable(join(folder, name)), []);
    }
    assert.equal(listReadable(folder).length, 5);
  }));

test("a tree has all but its folders, without .git and what is behind links", () =>
  withFolder((folder) => {
    write(folder, { "a/b/c": "", "a/.git/config": "", ".git": "", ".gitignore": "", "a/.github/x": "" });
    mkdirSync(join(folder, "empty"));
    symlinkSync("a", join(folder, "link"));
    mkdirSync(join(folder, "closed/in"), { recursive: true });
    chmodSync(join(folder, "closed"), 0o000);
    const paths = walkTree(Buffer.from(folder)).map((path) => path.toString().replace(/^\//, ""));
    const closed = isRoot ? [] : ["closed"];
    assert.deepEqual(paths.sort(), [".gitignore", "a/.github/x", "a/b/c", ...closed, "link"]);
    assert.deepEqual(walkTree(Buffer.from(join(folder, "none"))), []);
    const some = walkTree(Buffer.from(folder), ["b", "link", "closed"]).map((path) => path.toString());
    assert.deepEqual(some.sort(), [".gitignore", "a/.github/x"]);
  }));

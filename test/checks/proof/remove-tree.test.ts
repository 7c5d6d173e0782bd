import assert from "node:assert/strict";
import { chmodSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { test } from "node:test";
import { removeTree } from "../../../lib/store/remove-tree.ts";
import { makeWorld } from "../../cli/arrange.ts";
import { refusing } from "../../store/refused-calls.ts";

test("a folder whose rights were taken away is removed all the same", (t) => {
  const world = makeWorld(t);
  world.write("copy/closed/in/file.txt", "");
  for (const name of ["copy/closed/in", "copy/closed", "copy"]) chmodSync(world.path(name), 0o000);
  assert.equal(removeTree(world.path("copy")), true);
  assert.equal(world.exists("copy"), false);
});

test("of a link only the link goes, and what does not exist is removed already", (t) => {
  const world = makeWorld(t);
  world.write("repo/file.txt", "kept\n");
  mkdirSync(world.path("copy/deep"), { recursive: true });
  symlinkSync(world.path("repo"), world.path("copy/deep/link"));
  symlinkSync(world.path("repo"), world.path("link"));
  assert.deepEqual([removeTree(world.path("copy")), removeTree(world.path("link"))], [true, true]);
  assert.equal(removeTree(world.path("copy")), true);
  assert.equal(world.read("repo/file.txt"), "kept\n");
});

test("a file that cannot be removed is reported", {
  skip: process.geteuid?.() === 0 ? "root removes anything" : false,
}, (t) => {
  const world = makeWorld(t);
  world.write("above/copy/file.txt", "");
  chmodSync(world.path("above"), 0o500);
  t.after(() => chmodSync(world.path("above"), 0o700));
  assert.equal(removeTree(world.path("above/copy")), false);
});

test("rights that someone took away are given before the second try", (t) => {
  const world = makeWorld(t);
  world.write("copy/deep/file.txt", "");
  const folders = [world.path("copy"), world.path("copy/deep")];
  const closed = () => {
    const modes = folders.map((folder) => statSync(folder).mode & 0o777);
    return modes.some((mode) => mode !== 0o700);
  };
  for (const folder of folders) chmodSync(folder, 0o755);
  assert.equal(
    refusing("rmSync", "EACCES", { test: closed }, () => removeTree(world.path("copy"))),
    true,
  );
  assert.equal(world.exists("copy"), false);
  world.write("copy", "a file");
  assert.equal(
    refusing("rmSync", "EBUSY", /./, () => removeTree(world.path("copy"))),
    false,
  );
});

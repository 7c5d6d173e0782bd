import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { test } from "node:test";
import { statEntry } from "../../lib/store/folder.ts";
import { listFolder } from "../../lib/store/walk.ts";
import { makeWorld } from "../cli/arrange.ts";

test("a look finds nothing where nothing is, nor can be: below a file or a ring of links, and under too long a name", (t) => {
  const world = makeWorld(t);
  const file = world.write("file.txt", "text\n");
  assert.equal(statEntry(file)?.isFile(), true);
  assert.equal(statEntry(world.path("missing")), null);
  assert.equal(statEntry(world.path("missing/below")), null);
  assert.equal(statEntry(`${file}/below`), null);
  symlinkSync("ring", world.path("ring"));
  assert.equal(statEntry(world.path("ring"))?.isSymbolicLink(), true);
  assert.equal(statEntry(world.path("ring/below")), null);
  const long = "a".repeat(300);
  assert.equal(statEntry(world.path(long)), null);
  for (const name of ["ring", long]) assert.deepEqual(listFolder(Buffer.from(world.path(name))), []);
});

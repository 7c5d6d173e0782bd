import assert from "node:assert/strict";
import { test } from "node:test";
import { statEntry } from "../../lib/store/folder.ts";
import { makeWorld } from "../cli/arrange.ts";

test("a look finds nothing where nothing is, and where a file is in the place of a folder above", (t) => {
  const world = makeWorld(t);
  const file = world.write("file.txt", "text\n");
  assert.equal(statEntry(file)?.isFile(), true);
  assert.equal(statEntry(world.path("missing")), null);
  assert.equal(statEntry(world.path("missing/below")), null);
  assert.equal(statEntry(`${file}/below`), null);
});

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isWritable, statEntry } from "../../lib/store/folder.ts";
import { listFolder } from "../../lib/store/walk.ts";
import { makeWorld } from "../cli/arrange.ts";
import { makeFolder } from "../process/arrange.ts";

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

test("a folder that does not exist yet is writable if the nearest folder above can be written to", (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, "file"), "", { mode: 0o755 });
  mkdirSync(join(folder, "real"));
  symlinkSync("real", join(folder, "link"));
  assert.deepEqual(
    [folder, join(folder, "a/b/c"), join(folder, "link/a"), join(folder, "file"), join(folder, "file/a")].map(
      isWritable,
    ),
    [true, true, true, false, false],
  );
});

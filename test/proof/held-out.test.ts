import assert from "node:assert/strict";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { test } from "node:test";
import { digestHeldOut, placeHeldOut } from "../../lib/proof/held-out.ts";
import { makeWorld } from "../cli/arrange.ts";
import { listTree } from "./arrange.ts";

test("the digest is another one for other contents, paths, links and executable bits", (t) => {
  const world = makeWorld(t);
  world.write("hidden/a.js", "a\n");
  world.write("hidden/d/b.js", "b\n");
  const digest = () => digestHeldOut(world.path("hidden"));
  const seen = [digest()];
  const step = (change: () => void) => {
    change();
    seen.push(digest());
  };
  step(() => world.write("hidden/a.js", "A\n"));
  step(() => chmodSync(world.path("hidden/a.js"), 0o755));
  step(() => renameSync(world.path("hidden/d/b.js"), world.path("hidden/d/c.js")));
  step(() => world.write("hidden/new.js", ""));
  step(() => rmSync(world.path("hidden/new.js")));
  assert.equal(seen.includes(null), false);
  assert.equal(seen[5], seen[3]);
  assert.equal(new Set(seen).size, seen.length - 1);
});

test("a folder that does not exist, and a file in its place, have no digest", (t) => {
  const world = makeWorld(t);
  world.write("file", "");
  assert.deepEqual([digestHeldOut(world.path("none")), digestHeldOut(world.path("file"))], [null, null]);
});

test("the files are placed in the stead of whatever has that name, a link to the repo too", async (t) => {
  const world = makeWorld(t);
  world.write("hidden/run.sh", "#!/bin/sh\n");
  chmodSync(world.path("hidden/run.sh"), 0o755);
  world.write("hidden/d/b.js", "b\n");

  symlinkSync("../run.sh", world.path("hidden/d/inside"));
  symlinkSync("../../secret", world.path("hidden/d/leaves"));
  for (const folder of ["repo", "copy"]) mkdirSync(world.path(folder));
  symlinkSync(world.path("repo"), world.path("copy/held-out"));
  assert.equal(placeHeldOut(world.path("hidden"), world.path("copy")), world.path("copy/held-out"));
  assert.deepEqual(listTree(world.path("repo")), {});
  const placed = {
    "d/b.js": "file 644 b\n",
    "d/inside": "link ../run.sh",
    "run.sh": "file 755 #!/bin/sh\n",
  };
  assert.deepEqual(listTree(world.path("copy/held-out")), placed);
  world.write("copy/held-out/planted.js", "");
  placeHeldOut(world.path("hidden"), world.path("copy"));
  assert.deepEqual(listTree(world.path("copy/held-out")), placed);
});

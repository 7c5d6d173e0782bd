import assert from "node:assert/strict";
import fs, { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { digestHeldOut, placeHeldOut } from "../../../lib/task/held-out.ts";
import { makeWorld } from "../../cli/arrange.ts";
import { refusing } from "../../store/refused-calls.ts";
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
  const placed = { "d/b.js": "file 644 b\n", "d/inside": "link ../run.sh", "run.sh": "file 755 #!/bin/sh\n" };
  assert.deepEqual(listTree(world.path("copy/held-out")), placed);
  world.write("copy/held-out/planted.js", "");
  placeHeldOut(world.path("hidden"), world.path("copy"));
  assert.deepEqual(listTree(world.path("copy/held-out")), placed);
});

test("a folder that cannot be read has no digest, and a disk that fails is an error", (t) => {
  const world = makeWorld(t);
  world.write("hidden/d/b.js", "b\n");
  const digest = (name: "readdirSync" | "readSync", code: string) =>
    refusing(name, code, name === "readSync" ? /./ : /hidden\/d$/, () => digestHeldOut(world.path("hidden")));
  assert.deepEqual([digest("readdirSync", "EACCES"), digest("readSync", "EACCES")], [null, null]);
  assert.throws(() => digest("readdirSync", "EIO"), { code: "EIO" });
  assert.throws(() => digest("readSync", "EIO"), /hidden\/d\/b\.js: the disk reports an error \(EIO\)$/);
  const gone = refusing("readlinkSync", "ENOENT", /link$/, () => {
    symlinkSync("d", world.path("hidden/link"));
    return digestHeldOut(world.path("hidden"));
  });
  assert.equal(gone, null);
  assert.notEqual(digestHeldOut(world.path("hidden")), null);
});

test("a folder of too many files has no digest", (t) => {
  const world = makeWorld(t);
  world.write("hidden/a", "");
  const names = Array.from({ length: 20_001 }, () => "a");
  const many = (count: number) => {
    const entry = { name: Buffer.from("a"), isDirectory: () => false };
    const list = names.slice(0, count).map(() => entry);
    t.mock.method(fs, "readdirSync", () => list);
    syncBuiltinESMExports();
    try {
      return digestHeldOut(world.path("hidden"));
    } finally {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    }
  };
  assert.notEqual(many(20_000), null);
  assert.equal(many(20_001), null);
});

test("files that cannot be placed are an error of the disk", (t) => {
  const world = makeWorld(t);
  world.write("hidden/a.js", "a\n");
  mkdirSync(world.path("copy"));
  const place = () => placeHeldOut(world.path("hidden"), world.path("copy"));
  assert.throws(() => refusing("copyFileSync", "ENOSPC", /a\.js$/, place), {
    message: /^cannot place the held-out files in .*held-out: the disk is full/,
  });
  assert.equal(place(), world.path("copy/held-out"));
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs, { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder, pidNamespace, sweepTemporaryFolders } from "../../lib/process/temporary-folder.ts";
import { makeTemporaryPlace } from "./arrange.ts";

test("a sweep removes the folders of dead runners, and none of a living one or of another namespace", (t) => {
  // Others that run now sweep the common folder too.
  makeTemporaryPlace(t);
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const names = [`task-phase-git-${pidNamespace()}-${dead}-`, `task-phase-links-1-${dead}-`];
  const folders = [...names.map((name) => mkdtempSync(path.join(tmpdir(), name))), makeTemporaryFolder("index")];
  for (const folder of folders) mkdirSync(path.join(folder, "info"));
  sweepTemporaryFolders();
  assert.deepEqual(folders.map(existsSync), [false, true, true]);
});

test("a sweep goes on behind a folder that cannot be removed", (t) => {
  makeTemporaryPlace(t);
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const name = `task-phase-git-${pidNamespace()}-${dead}-`;
  const folders = ["a", "b", "c"].map((last) => mkdtempSync(path.join(tmpdir(), `${name}${last}`)));
  const { rmSync } = fs;
  t.after(() => {
    fs.rmSync = rmSync;
    syncBuiltinESMExports();
  });
  fs.rmSync = (file, options) => {
    if (file === folders[0]) throw Object.assign(new Error("EBUSY"), { code: "EBUSY" });
    rmSync(file, options);
  };
  syncBuiltinESMExports();
  sweepTemporaryFolders();
  assert.deepEqual(folders.map(existsSync), [true, false, false]);
});

test("a sweep of a temporary folder that is not there finds nothing", (t) => {
  process.env.TMPDIR = path.join(makeTemporaryPlace(t), "missing");
  assert.doesNotThrow(sweepTemporaryFolders);
});

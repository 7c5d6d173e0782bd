import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { manifestShape } from "../../lib/store/manifest.ts";
import { openSnapshotStore } from "../../lib/store/snapshot.ts";
import { withFolder } from "./temporary-folder.ts";

const all = { skip: () => false };

/** What is said of `above`, a folder over one root beside another, after each change of it. */
function said(folder: string, below: string | null, changes: readonly ((path: string) => void)[]): string[][] {
  const above = join(folder, "above");
  mkdirSync(join(folder, "beside"), { recursive: true });
  writeFileSync(join(folder, "beside/file"), "");
  mkdirSync(above);
  if (below !== null) writeFileSync(join(above, "root"), below);
  const store = openSnapshotStore(join(folder, "store"));
  const manifest = store.record([join(above, "root"), join(folder, "beside")], all);
  return changes.map((change) => {
    rmSync(above, { recursive: true, force: true });
    change(above);
    return store
      .compare(manifest, all)
      .map(({ path, change: how, now }) => `${path.slice(folder.length + 1)} ${how} ${now?.type ?? "none"}`);
  });
}

const changes = [
  (path: string) => writeFileSync(path, "a file"),
  (path: string) => symlinkSync("beside", path),
  () => undefined,
  (path: string) => mkdirSync(path),
];

test("a folder above a root that became something else is reported with the files recorded below it", () =>
  withFolder((folder) => {
    assert.deepEqual(said(folder, "bytes", changes), [
      ["above replaced file", "above/root removed none"],
      ["above replaced link", "above/root removed none"],
      ["above/root removed none"],
      ["above/root removed none"],
    ]);
  }));

test("a manifest is the same once it was written and read again", () =>
  withFolder((folder) => {
    mkdirSync(join(folder, "a"));
    writeFileSync(join(folder, "a/file"), "bytes");
    symlinkSync("file", join(folder, "a/link"));
    const manifest = openSnapshotStore(join(folder, "store")).record([join(folder, "a")], all);
    assert.deepEqual(v.parse(manifestShape, JSON.parse(JSON.stringify(manifest))), manifest);
    assert.equal(manifest.entries[folder]?.passage, true);
  }));

test("folders above a root that is missing are nothing that was recorded below one", () =>
  withFolder((folder) => {
    const above = join(folder, "above");
    mkdirSync(join(above, "inner"), { recursive: true });
    const store = openSnapshotStore(join(folder, "store"));
    const manifest = store.record([join(above, "inner/root")], all);
    rmSync(above, { recursive: true });
    writeFileSync(above, "a file");
    assert.deepEqual(store.compare(manifest, all), []);
  }));

test("a folder above a root that was missing tells nothing, whatever it became", () =>
  withFolder((folder) => {
    assert.deepEqual(said(folder, null, changes), [[], [], [], []]);
  }));

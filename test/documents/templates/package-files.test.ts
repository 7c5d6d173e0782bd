import assert from "node:assert/strict";
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { templatesFolder } from "../../../lib/documents/templates/package-files.ts";

test("the templates of this package are found", () => {
  assert.equal(basename(templatesFolder()), "templates");
});

test("another package above, or a package.json that is none, is passed over", () => {
  const root = mkdtempSync(join(tmpdir(), "task-phase-"));
  try {
    const inner = join(root, "dist", "lib");
    mkdirSync(inner, { recursive: true });
    mkdirSync(join(root, "templates"));
    writeFileSync(join(root, "package.json"), '{"name": "task-phase"}');
    writeFileSync(join(root, "dist", "package.json"), "[1]");
    writeFileSync(join(inner, "package.json"), '{"name": "other"}');
    assert.equal(templatesFolder(inner), join(root, "templates"));
    rmSync(join(root, "templates"), { recursive: true });
    assert.throws(() => templatesFolder(inner), /the templates\/ folder of the package task-phase was not found above/);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("a machine that cannot open the package is not an incomplete package", (t) => {
  t.mock.method(fs, "readFileSync", () => {
    throw Object.assign(new Error("too many open files"), { code: "EMFILE", syscall: "open", path: "package.json" });
  });
  syncBuiltinESMExports();
  try {
    assert.throws(() => templatesFolder(), /cannot open package.json: too many files are open \(EMFILE\)/);
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
});

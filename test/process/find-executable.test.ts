import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findExecutable } from "../../lib/process/find-executable.ts";
import { makeFolder } from "./arrange.ts";

function makeTools(t: TestContext): string {
  const folder = makeFolder(t);
  for (const name of ["one/tool", "two/tool", "two/plain"]) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
  }
  chmodSync(join(folder, "two/plain"), 0o644);
  mkdirSync(join(folder, "one/plain"));
  symlinkSync("tool", join(folder, "two/linked"));
  return folder;
}

test("a bare word is looked up on PATH, in its order", (t) => {
  const folder = makeTools(t);
  const path = `${folder}/none:${folder}/two:${folder}/one`;
  assert.equal(findExecutable("tool", "/", path), join(folder, "two/tool"));
  assert.equal(findExecutable("linked", "/", path), join(folder, "two/linked"));
  assert.equal(findExecutable("absent", "/", path), null);
});

test("a folder and a file without the right to be executed are passed over", (t) => {
  const folder = makeTools(t);
  assert.equal(findExecutable("plain", "/", `${folder}/one:${folder}/two`), null);
});

test("a word with a slash is relative to the folder, and PATH is not asked", (t) => {
  const folder = makeTools(t);
  assert.equal(findExecutable("./one/tool", folder, ""), join(folder, "one/tool"));
  assert.equal(findExecutable("one/tool", "/", folder), null);
  assert.equal(findExecutable(join(folder, "one/tool"), "/", ""), join(folder, "one/tool"));
});

test("an empty entry and a relative one of PATH start from the folder, and an empty word is nothing", (t) => {
  const folder = makeTools(t);
  assert.equal(findExecutable("tool", join(folder, "one"), ""), join(folder, "one/tool"));
  assert.equal(findExecutable("tool", folder, "one"), join(folder, "one/tool"));
  assert.equal(findExecutable("", folder, "one"), null);
});

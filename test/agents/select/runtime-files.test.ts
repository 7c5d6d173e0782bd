import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import * as fc from "fast-check";
import { tryLock } from "../../../lib/store/lock.ts";
import {
  changelogName,
  clearRuntimeDebris,
  isRuntimeFile,
  lockPath,
  lockRuntime,
  putRuntimeFile,
  type RuntimeFiles,
  readRuntimeBytes,
  runtimeFilesOf,
  takeEdits,
} from "../../../lib/task/runtime-files.ts";
import { makeFolder } from "../../process/arrange.ts";

function makeFiles(t: TestContext): RuntimeFiles {
  const root = makeFolder(t);
  mkdirSync(join(root, "tasks", ".task-phase"), { recursive: true });
  return runtimeFilesOf(join(root, "tasks"), { XDG_STATE_HOME: join(root, "state") }, root);
}

/** What both folders hold under this name. */
const both = (files: RuntimeFiles, name: string) =>
  [files.folder, files.own].map((folder) => readRuntimeBytes(folder, name)?.toString() ?? null);

describe("the runtime files of a tasks root", () => {
  test("are cooldowns.json, state.json and the changelogs", () => {
    const names = ["cooldowns.json", "state.json", "changelog/claude.md", "changelog", "changelog/a/b.md", "x.json"];
    assert.deepEqual(names.map(isRuntimeFile), [true, true, true, false, false, false]);
  });

  test("are written to the state folder too, which is this user's alone", (t) => {
    const files = makeFiles(t);
    lockRuntime(files)?.release();
    putRuntimeFile(files, "state.json", "one");
    putRuntimeFile(files, "changelog/claude.md", Buffer.from("two"));
    assert.deepEqual(both(files, "state.json"), ["one", "one"]);
    assert.deepEqual(both(files, "changelog/claude.md"), ["two", "two"]);
    const modes = ["", "changelog", "state.json", "changelog/claude.md"].map(
      (name) => statSync(join(files.own, name)).mode & 0o777,
    );
    assert.deepEqual(modes, [0o700, 0o700, 0o600, 0o600]);
  });

  test("are put right where only the state folder had them", (t) => {
    const files = makeFiles(t);
    putRuntimeFile(files, "state.json", "one");
    writeFileSync(join(files.folder, "state.json"), "half");
    putRuntimeFile(files, "state.json", "one");
    assert.deepEqual(both(files, "state.json"), ["one", "one"]);
  });

  test("are taken over as a person left them: changed, added and removed", (t) => {
    const files = makeFiles(t);
    for (const name of ["state.json", "cooldowns.json", "changelog/a.md"]) putRuntimeFile(files, name, "old");
    writeFileSync(join(files.folder, "state.json"), "new");
    writeFileSync(join(files.folder, "changelog", "b.md"), "new");
    writeFileSync(join(files.folder, "other.txt"), "nobody's");
    rmSync(join(files.folder, "cooldowns.json"));
    rmSync(join(files.folder, "changelog", "a.md"));
    takeEdits(files);
    assert.deepEqual(both(files, "state.json"), ["new", "new"]);
    assert.deepEqual(both(files, "changelog/b.md"), ["new", "new"]);
    assert.deepEqual(readdirSync(files.own, { recursive: true }).sort(), ["changelog", "changelog/b.md", "state.json"]);
    assert.deepEqual(readdirSync(files.folder).sort(), ["changelog", "other.txt", "state.json"]);
  });

  test("are cleared of what killed runs left half-written", (t) => {
    const files = makeFiles(t);
    putRuntimeFile(files, "changelog/a.md", "text");
    for (const folder of ["", "changelog"]) writeFileSync(join(files.folder, folder, ".tp-0123456789abcdef.tmp"), "");
    clearRuntimeDebris(files.folder);
    clearRuntimeDebris(join(files.folder, "nowhere"));
    assert.deepEqual(readdirSync(files.folder, { recursive: true }).sort(), ["changelog", "changelog/a.md"]);
  });

  test("are not there where a link or a folder stands in their place", (t) => {
    const files = makeFiles(t);
    putRuntimeFile(files, "state.json", "old");
    rmSync(join(files.folder, "state.json"));
    writeFileSync(join(files.folder, "elsewhere"), "theirs");
    symlinkSync("elsewhere", join(files.folder, "state.json"));
    mkdirSync(join(files.folder, "cooldowns.json"));
    takeEdits(files);
    assert.deepEqual(both(files, "state.json"), [null, null]);
    assert.deepEqual(both(files, "cooldowns.json"), [null, null]);
  });

  test("are never written through a link in the place of changelog/", (t) => {
    const files = makeFiles(t);
    const elsewhere = makeFolder(t);
    symlinkSync(elsewhere, join(files.folder, "changelog"));
    assert.throws(() => putRuntimeFile(files, "changelog/a.md", "text"), /cannot write .*there is a link/);
    assert.deepEqual(readdirSync(elsewhere), []);
    assert.equal(readRuntimeBytes(files.folder, "changelog/a.md"), null);
  });

  test("fail with the path where the folder cannot be what it must be", (t) => {
    const files = makeFiles(t);
    writeFileSync(join(files.folder, "changelog"), "a file");
    assert.throws(() => putRuntimeFile(files, "changelog/a.md", "text"), /cannot make the folder|cannot write/);
    writeFileSync(join(files.folder, "state.json"), "text");
    assert.throws(
      () => takeEdits({ folder: files.folder, own: join(files.folder, "changelog") }),
      /private folder|is not a folder/,
    );
  });
});

describe("lockRuntime", () => {
  test("keeps a second holder out until it is released", (t) => {
    const files = makeFiles(t);
    const lock = lockRuntime(files);
    assert.equal(tryLock(lockPath(files)), null);
    lock?.release();
    const again = tryLock(lockPath(files));
    assert.notEqual(again, null);
    again?.release();
  });

  test("gives up after two seconds", (t) => {
    const files = makeFiles(t);
    mkdirSync(files.own, { recursive: true, mode: 0o700 });
    const held = tryLock(lockPath(files));
    assert.equal(lockRuntime(files), null);
    held?.release();
  });

  test("says what is in the place of the state folder, and makes nothing in the tasks root", (t) => {
    const files = makeFiles(t);
    mkdirSync(dirname(files.own), { recursive: true });
    writeFileSync(files.own, "a file");
    assert.throws(() => lockRuntime(files), /expected a private folder of this user .*it is not a folder/);
    assert.deepEqual(readdirSync(files.folder), []);
  });
});

test("a plain name is the name of its file", () => {
  assert.deepEqual(["claude", "gpt-5", "x"].map(changelogName), ["claude.md", "gpt-5.md", "x.md"]);
});

test("any other name gives a safe file name with digits of its own", () => {
  const names = [
    "Claude",
    "my model",
    "my/model",
    "..",
    ".md",
    "モデル",
    "-a",
    "",
    "claude-0123456789ab",
    "0123456789ab",
  ];
  const files = names.map(changelogName);
  for (const file of files) assert.match(file, /^[a-z0-9][a-z0-9-]*\.md$/);
  assert.match(files[0] ?? "", /^claude-[0-9a-f]{12}\.md$/);
  assert.match(files[1] ?? "", /^my-model-[0-9a-f]{12}\.md$/);
  assert.match(files[5] ?? "", /^[0-9a-f]{12}\.md$/);
  assert.equal(new Set(files).size, names.length);
});

test("no two names share a file, not even where case does not count", () => {
  const word = fc.oneof(fc.string({ maxLength: 4 }), fc.stringMatching(/^[aA]-?[bB]?(-?[0-9a-f]{12})?$/));
  fc.assert(
    fc.property(word, word, (left, right) => {
      assert.equal(changelogName(left).toLowerCase() === changelogName(right).toLowerCase(), left === right);
    }),
    { numRuns: 500 },
  );
});

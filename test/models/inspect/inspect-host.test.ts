import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspectBwrap, inspectGit, isWritable } from "../../../lib/models/inspect/inspect-host.ts";
import { makeFolder } from "../../process/arrange.ts";
import { makeAsking, writePrograms } from "../programs.ts";

const missing = { path: null, version: null, usable: null, problem: null };

test("git says its version", async (t) => {
  const bin = writePrograms(makeFolder(t), { git: "echo git version 2.39.5" });
  assert.deepEqual(await inspectGit(makeAsking(t), { PATH: bin }), {
    path: join(bin, "git"),
    version: "2.39.5",
    usable: true,
    problem: null,
  });
  assert.deepEqual(await inspectGit(makeAsking(t), {}), missing);
});

test("a git that fails is not usable", async (t) => {
  const bin = writePrograms(makeFolder(t), { git: "echo 'xcrun: error: invalid developer path' >&2; exit 1" });
  const { usable, problem } = await inspectGit(makeAsking(t), { PATH: bin });
  assert.deepEqual([usable, problem], [false, "it ended with exit code 1: xcrun: error: invalid developer path"]);
});

test("bwrap is usable only where it really started a program", async (t) => {
  const folder = makeFolder(t);
  const version = 'if [ "$1" = --version ]; then echo bubblewrap 0.8.0; exit; fi';
  const cases = {
    good: `${version}\ncase "$*" in *"--ro-bind / /"*" -- $0 --version") exit 0;; esac\nexit 1`,
    refused: `${version}\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1`,
    hangs: `${version}\nexec sleep 30`,
    broken: "exit 127",
  };
  const found: unknown[] = [];
  // One after the other: each begins its time when the one before has let this process go.
  for (const [name, lines] of Object.entries(cases)) {
    const bin = writePrograms(join(folder, name), { bwrap: lines });
    const { version: said, usable, problem } = await inspectBwrap(makeAsking(t), { PATH: bin }, 2_000);
    found.push([name, said, usable, problem]);
  }
  assert.deepEqual(found, [
    ["good", "0.8.0", true, null],
    ["refused", "0.8.0", false, "it ended with exit code 1: bwrap: setting up uid map: Permission denied"],
    ["hangs", "0.8.0", false, "it did not end within 2 s"],
    ["broken", null, false, "it ended with exit code 127"],
  ]);
  assert.deepEqual(await inspectBwrap(makeAsking(t), { PATH: folder }), missing);
});

test("a folder that does not exist yet is writable where the nearest one that is can be written to", (t) => {
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

import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readIncludes, readSourcedBeside } from "../../../lib/checks/watch/command-files.ts";
import { gone, namedFile, namedFolder, readEntry, readThrough } from "../../../lib/checks/watch/places.ts";
import { settingRows } from "../../../lib/checks/watch/setting-rows.ts";
import { readShellCommands } from "../../../lib/checks/watch/shell-commands.ts";
import { startCpuTime } from "../../patience.ts";
import { withWatch } from "./arrange.ts";

describe("a file made to take for ever", () => {
  const pieces = [
    " ",
    "\n",
    "{",
    "}",
    '"',
    "'",
    "/*",
    "//",
    '"""',
    "\\",
    ",",
    ". $A/",
    'source "$(dirname ',
    "include ",
    "-include a* ",
    "[a]\n",
    "a = -k\n",
    "  def deps do\n",
    "<version>",
    "<!--",
    "dependencies {",
    "add_test(",
    "[[test]]\n",
    "- &a [*a]\n",
  ];
  for (const piece of pieces) {
    it(`is read in time by each reader: ${JSON.stringify(piece)}`, () => {
      const text = piece.repeat(Math.ceil(40_000 / piece.length));
      const readers = settingRows.flatMap(({ files, parts }) => (parts === undefined ? [] : [{ files, parts }]));
      for (const { files, parts } of readers) {
        const used = startCpuTime();
        parts(text, new Set());
        // Ten times what it takes on a slow machine; what grows with the square takes minutes.
        assert.ok(used() < 3_000, String(files));
      }
      const used = startCpuTime();
      readSourcedBeside(text);
      readIncludes(text, "/nowhere", "");
      readShellCommands(text);
      assert.ok(used() < 3_000);
    });
  }
});

describe("places", () => {
  it("ends where links lead in a ring, to nothing, or out of a folder that is a link", () =>
    withWatch({ "a/b": "1" }, [], (world) => {
      symlinkSync("ring", join(world.repo, "ring"));
      symlinkSync("none", join(world.repo, "dangling"));
      symlinkSync("a", join(world.repo, "link"));
      assert.equal(readEntry(world.repo, "link/b"), null);
      assert.match(readEntry(world.repo, "ring") ?? "", /^link - /);
      for (const name of ["ring", "dangling", "a"])
        assert.match(readThrough(join(world.repo, name), name).digest, /^[0-9a-f]{64}$/);
      for (const name of ["none", "x".repeat(300)])
        assert.equal(readThrough(join(world.repo, name), name).digest, gone);
      assert.equal(namedFile(world.repo, "", "x".repeat(300)), null);
      assert.equal(namedFile(world.repo, "", "../../etc/passwd"), null);
      assert.equal(namedFile(world.repo, "", "a"), null);
      assert.equal(namedFile(world.repo, "a", "b"), "a/b");
      assert.equal(namedFolder(world.repo, "", "./a"), "a");
      assert.equal(namedFolder(world.repo, "", "a/b"), null);
      assert.equal(readEntry(world.repo, "x".repeat(300)), "unreadable ENAMETOOLONG -");
    }));
});

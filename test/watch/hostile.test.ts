import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { languages } from "../../lib/watch/languages.ts";
import { describePath, digestProgram, gone, namedFile } from "../../lib/watch/places.ts";
import { profileTest } from "../../lib/watch/test-profile.ts";
import { withWatch } from "./arrange.ts";

describe("a file made to take for ever", () => {
  const pieces = [
    " ",
    "\n",
    ".assert",
    "if ",
    "@tag ",
    'r#"',
    "throw new X\n",
    ".each`",
    "(",
    "/*",
    "'",
    "exit ",
    "//go:build a\n",
    "`${",
    "[]struct{",
    "return\n",
    "if(){return;assert.ok(1);",
    "def a():\n return\n",
    "function a(",
    "const a=()=>it(1),",
  ];
  for (const piece of pieces) {
    it(`is read in time in each language: ${JSON.stringify(piece)}`, () => {
      const text = `if${piece.repeat(Math.ceil(40_000 / piece.length))}`;
      for (const language of languages) {
        const started = performance.now();
        profileTest(text, language);
        // Ten times what it takes on a slow machine; what grows with the square takes minutes.
        assert.ok(performance.now() - started < 3_000, language.name);
      }
    });
  }
});

describe("places", () => {
  it("ends where links lead in a ring, to nothing, or out of a folder that is a link", () =>
    withWatch({ "a/b": "1" }, [], (world) => {
      symlinkSync("ring", join(world.repo, "ring"));
      symlinkSync("none", join(world.repo, "dangling"));
      symlinkSync("a", join(world.repo, "link"));
      assert.equal(describePath(world.repo, "link/b"), null);
      assert.match(describePath(world.repo, "ring") ?? "", /^link - /);
      assert.match(digestProgram(join(world.repo, "ring"), "ring"), /^[0-9a-f]{64}$/);
      assert.match(digestProgram(join(world.repo, "dangling"), "dangling"), /^[0-9a-f]{64}$/);
      assert.equal(digestProgram(join(world.repo, "none"), "none"), gone);
      assert.match(digestProgram(join(world.repo, "a"), "a"), /^[0-9a-f]{64}$/);
      assert.match(digestProgram(join(world.repo, "x".repeat(300)), "x"), /^[0-9a-f]{64}$/);
      assert.equal(namedFile(world.repo, "", "x".repeat(300)), null);
      assert.equal(namedFile(world.repo, "", "../../etc/passwd"), null);
      assert.equal(namedFile(world.repo, "a", "b"), "a/b");
      assert.equal(describePath(world.repo, "x".repeat(300)), "unreadable ENAMETOOLONG -");
    }));
});

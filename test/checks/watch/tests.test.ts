import assert from "node:assert/strict";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { testClass } from "../../../lib/checks/watch/test-paths.ts";
import { compareWatch } from "../../../lib/checks/watch/watch.ts";
import { changesAfter, withWatch } from "./arrange.ts";

describe("test files", () => {
  const cases: [string, "name" | "folder" | null][] = [
    ["src/sum.test.ts", "name"],
    ["src/sum-spec.mjs", "name"],
    ["a/test_sum.py", "name"],
    ["a/conftest.py", "name"],
    ["sum_test.go", "name"],
    ["lib/sum_test.exs", "name"],
    ["src/test/java/SumTest.java", "name"],
    ["spec/sum_spec.rb", "name"],
    ["tests.c", "name"],
    ["test.cpp", "name"],
    ["t/basic.t", "name"],
    ["round_spec.lua", "name"],
    ["contests.c", null],
    ["tests/it.rs", "folder"],
    ["src/sum_tests.rs", "name"],
    ["src/sum.rs", null],
    ["Shop.Tests/Sum.cs", "folder"],
    ["Shop/SumTests.cs", "name"],
    ["tests/SumTest.php", "name"],
    ["a.phpt", "name"],
    ["Tests/SumTests.swift", "name"],
    ["src/sum_test.cc", "name"],
    ["sum_test.dart", "name"],
    ["a.bats", "name"],
    ["x/__snapshots__/a.snap", "name"],
    ["x/testdata/golden.txt", "folder"],
    ["x/test_data/golden.txt", "folder"],
    ["test/fixtures/a.json", "folder"],
    ["src/latest/a.js", null],
    ["src/contest.js", null],
    ["node_modules/a/a.test.js", null],
    ["vendor/a/a_test.go", null],
  ];
  for (const [path, expected] of cases) {
    it(`${path} is ${expected === null ? "none" : `one by its ${expected}`}`, () =>
      assert.equal(testClass(path), expected));
  }
});

describe("differences of tests", () => {
  const files = { "test/a.test.js": "1", "test/b.test.js": "2", "src/lib.rs": "#[test]\nfn a() {}\n" };

  it("is told by contents alone: what was added, removed and changed", async () =>
    assert.deepEqual(
      await changesAfter(files, [], (world) => {
        world.write({ "test/a.test.js": "2", "test/c.test.js": "3", "src/lib.rs": "" });
        world.remove("test/b.test.js");
      }),
      ["! test test/a.test.js changed", "! test test/b.test.js removed", "test test/c.test.js added"],
    ));

  it("is nothing where only the mode is another one", async () =>
    assert.deepEqual(
      await changesAfter(files, [], (world) => chmodSync(join(world.repo, "test/a.test.js"), 0o755)),
      [],
    ));

  it("is a file where only a glob names it, and what git ignores is outside of every copy", () =>
    withWatch({ ...files, "docs/a.md": "1", "ignored/b.md": "1" }, [], (world) => {
      const globs = ["docs/*", "ignored/*"];
      const record = world.take({ globs });
      world.write({ "docs/a.md": "2", "docs/b.md": "2", "test/a.test.js": "2" });
      world.remove("ignored");
      assert.deepEqual(
        compareWatch(record, world.input({ globs })).map(({ kind, name, change, side }) => [kind, name, change, side]),
        [
          ["test", "test/a.test.js", "changed", "checks"],
          ["file", "docs/a.md", "changed", "checks"],
          ["file", "ignored/b.md", "removed", "outside"],
          ["file", "docs/b.md", "added", "checks"],
        ],
      );
    }));

  it("is nothing where git has come to ignore a file that is as it was", () =>
    withWatch(files, [], (world) => {
      const record = world.take();
      const { entries } = world.input();
      const without = new Map([...entries].filter(([path]) => path !== "test/a.test.js"));
      assert.deepEqual(world.changes(record, { entries: without }), []);
      rmSync(join(world.repo, "test/a.test.js"));
      assert.deepEqual(world.changes(record, { entries: without }), ["! test test/a.test.js removed"]);
    }));
});

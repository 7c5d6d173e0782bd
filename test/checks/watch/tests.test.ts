import assert from "node:assert/strict";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { compareWatch } from "../../../lib/checks/watch/watch.ts";
import { changesAfter, withWatch } from "./arrange.ts";

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

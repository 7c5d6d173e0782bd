import assert from "node:assert/strict";
import { lstatSync, type Stats, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createSeenFiles, figuresPerFile } from "../../lib/git/seen-files.ts";
import { withExt4 } from "./as-on-ext4.ts";
import { write } from "./git-repo.ts";

describe("what is known of files by their stats", () => {
  it("reads again what changed a moment before it was read, since the next change may leave the same times", (t) =>
    withExt4((folder) => {
      write(folder, { old: "x" });
      const path = join(folder, "old");
      const changedAt = () => Math.ceil(lstatSync(path).ctimeMs);
      t.mock.timers.enable({ apis: ["Date"], now: changedAt() });
      const seen = createSeenFiles(folder);
      const recalled = () => seen.recall("old", lstatSync(path));
      seen.record("old", "at once", lstatSync(path));
      assert.equal(recalled(), undefined);
      t.mock.timers.setTime(changedAt() + 120);
      assert.equal(recalled(), undefined);
      seen.record("old", "later", lstatSync(path));
      assert.equal(recalled(), "later");
      const elsewhere = createSeenFiles("/proc");
      elsewhere.record("old", "another file system", lstatSync(path));
      assert.equal(elsewhere.recall("old", lstatSync(path)), undefined);
      writeFileSync(path, "y");
      t.mock.timers.setTime(changedAt());
      seen.record("old", "at once again", lstatSync(path));
      assert.equal(recalled(), undefined);
    }));
  it("counts for exactly these stats: any other figure means another file", (t) =>
    withExt4((folder) => {
      write(folder, { a: "x" });
      const stats = lstatSync(join(folder, "a"));
      t.mock.timers.enable({ apis: ["Date"], now: stats.ctimeMs + 10_000 });
      const seen = createSeenFiles(folder);
      seen.record("a", "entry", stats);
      const recall = (changes: Partial<Stats>) =>
        seen.recall("a", Object.assign(lstatSync(join(folder, "a")), changes));
      assert.equal(recall({}), "entry");
      assert.equal(seen.recall("b", stats), undefined);
      const figures = ["ino", "ctimeMs", "mtimeMs", "size", "mode", "dev"] as const;
      for (const name of figures) assert.equal(recall({ [name]: stats[name] + 1 }), undefined, name);
    }));

  it("lists rows from which another memory begins, and counts news since the last save", (t) =>
    withExt4((folder) => {
      const names = Array.from({ length: 70 }, (_value, index) => `f${index}`);
      write(folder, Object.fromEntries(names.map((name) => [name, name])));
      const statsOf = (name: string) => lstatSync(join(folder, name));
      t.mock.timers.enable({ apis: ["Date"], now: statsOf("f69").ctimeMs + 10_000 });
      const seen = createSeenFiles(folder);
      for (const name of names) seen.record(name, `entry ${name}`, statsOf(name));
      const { rows, news } = seen.list();
      assert.deepEqual([rows.files.length, rows.figures.length, news], [70, 70 * figuresPerFile, 70]);
      seen.markSaved();
      seen.record("f3", "entry f3", statsOf("f3"));
      assert.equal(seen.list().news, 0);
      seen.record("f3", "another entry", statsOf("f3"));
      assert.equal(seen.list().news, 1);
      const other = createSeenFiles(folder, rows);
      assert.equal(other.recall("f69", statsOf("f69")), "entry f69");
      other.record("f70", "entry f70", statsOf("f0"));
      assert.equal(other.recall("f70", statsOf("f0")), "entry f70");
    }));
});

import assert from "node:assert/strict";
import { mkdirSync, rmSync, type Stats, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { figuresOf, holdsStamp, stampedNames, stampLength, statOf } from "../../../lib/queue/listing/stamp.ts";
import { makeFolder } from "../../process/arrange.ts";

test("a file that changed a moment ago has no figures, and longer where times have no fractions", () => {
  const at = (ctimeMs: number, now: number) =>
    figuresOf({ ino: 1, size: 2, mtimeMs: 3, ctimeMs } as Stats, now) !== null;
  assert.deepEqual([at(1_000.5, 1_100.5), at(1_000.5, 1_100.6)], [false, true]);
  assert.deepEqual([at(1_000, 3_100), at(1_000, 3_101)], [false, true]);
  assert.deepEqual(figuresOf({ ino: 1, size: 2, mtimeMs: 3, ctimeMs: 4.5 } as Stats, 900), [1, 2, 3, 4.5]);
});

test("a stamp has four numbers for each entry that is there", () => {
  assert.deepEqual([0, 1, 0b101, (1 << stampedNames.length) - 1].map(stampLength), [0, 4, 8, 36]);
});

test("a stamp holds until an entry of it changes or goes", (t) => {
  const folder = join(makeFolder(t), "T-1");
  mkdirSync(folder);
  const file = join(folder, "STATE.md");
  writeFileSync(file, "one");
  const present = 1 | (1 << stampedNames.indexOf("STATE.md"));
  const figures = Float64Array.from(
    [7, 7, folder, file].flatMap((path) => {
      if (typeof path === "number") return path;
      const { ino, size, mtimeMs, ctimeMs } = statSync(path);
      return [ino, size, mtimeMs, ctimeMs];
    }),
  );
  const holds = () => holdsStamp(folder, present, figures, 2);
  assert.equal(holds(), true);
  for (let at = 2; at < figures.length; at++) {
    const other = Float64Array.from(figures);
    other[at] = (other[at] ?? 0) + 1;
    assert.equal(holdsStamp(folder, present, other, 2), false, `number ${at}`);
  }
  const { atime, mtime } = statSync(file);
  writeFileSync(file, "two");
  utimesSync(file, atime, mtime);
  assert.equal(holds(), false);
  rmSync(file);
  assert.equal(holds(), false);
});

test("what is not there, and what nobody may look at, has no stats", (t) => {
  const folder = makeFolder(t);
  assert.equal(statOf(join(folder, "x")), undefined);
  assert.equal(statOf(join(folder, "x".repeat(300))), undefined);
  assert.ok(statOf(folder)?.isDirectory());
});

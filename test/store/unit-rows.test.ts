import assert from "node:assert/strict";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPacks } from "../../lib/store/packs.ts";
import {
  countUses,
  namesOfNewest,
  newestName,
  readNewest,
  readRows,
  saveRows,
  type UnitRow,
  writeNewest,
} from "../../lib/store/unit-rows.ts";
import { withFolder } from "./temporary-folder.ts";

const row = (uses: Record<string, number> = {}): UnitRow => ({ seen: "s", list: "pack:0:1:x", uses });
const passages = { "/a": { type: "folder", mode: 0o755, passage: true } } as const;
const manyRows = (count: number) => new Map(Array.from({ length: count }, (_value, index) => [`/a/${index}`, row()]));

test("rows are read back as they were kept, and a bucket without a change is kept once", () =>
  withFolder((folder) => {
    const packs = openPacks(folder, "owner");
    const rows = manyRows(200);
    const first = packs.write("one", (pack) => saveRows(pack, { rows, passages }, []));
    assert.equal(first.buckets.length, 4);
    const read = readRows(packs, first.ref);
    assert.deepEqual(read?.passages, passages);
    assert.deepEqual(new Map([...(read?.rows ?? [])].sort()), new Map([...rows].sort()));
    const changed = new Map(rows).set("/a/7", row({ one: 3 }));
    const next = packs.write("two", (pack) => saveRows(pack, { rows: changed, passages }, first.buckets));
    assert.equal(next.buckets.filter((ref) => first.buckets.includes(ref)).length, 3);
    assert.deepEqual(readRows(packs, next.ref)?.rows.get("/a/7"), row({ one: 3 }));
    truncateSync(join(folder, "one"), 10);
    assert.deepEqual(
      [readRows(packs, first.ref), readRows(packs, next.ref), readRows(packs, "none:0:1:x")],
      [null, null, null],
    );
  }));

test("the bytes that rows need of each pack are those of their files and of their own text", () => {
  const rows = new Map([
    ["/a", row({ one: 3, two: 4 })],
    ["/b", row({ one: 5 })],
  ]);
  assert.deepEqual(
    countUses({ rows, buckets: ["one:0:10:x", "three:7:2:y"] }),
    new Map([
      ["one", 18],
      ["two", 4],
      ["three", 2],
    ]),
  );
});

test("the newest rows say which packs to copy anew, and which one to append to", () =>
  withFolder((folder) => {
    const packs = openPacks(folder, "owner");
    const large = 256 * 1024 + 1;
    const sizes = { "owner-a": 100, "owner-b": 100, "other-c": 100, short: 50, wasted: large, needed: large };
    for (const [name, size] of Object.entries(sizes)) writeFileSync(join(folder, name), Buffer.alloc(size));
    const rows = new Map([["/a", row({ wasted: 100, needed: large / 2 })]]);
    const { ref } = packs.write("owner-b", (pack) => saveRows(pack, { rows, passages }, []));
    const kept = { ...sizes, short: 51, gone: 1, "owner-a": 101 };
    writeNewest(folder, folder, { ref, packs: kept });
    const newest = readNewest(folder, packs, "owner");
    assert.deepEqual([...newest.lost].sort(), ["gone", "owner-a", "short", "wasted"]);
    assert.deepEqual([newest.writable, [...newest.rows.keys()]], ["owner-b", ["/a"]]);
    assert.equal(readNewest(folder, packs, "another").writable, null);
    assert.deepEqual([...namesOfNewest(folder)].sort(), Object.keys(kept).sort());
    writeFileSync(join(folder, newestName), "{}");
    assert.deepEqual([readNewest(folder, packs, "owner").rows.size, namesOfNewest(folder)], [0, []]);
  }));

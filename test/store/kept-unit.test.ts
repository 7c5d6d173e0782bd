import assert from "node:assert/strict";
import { test } from "node:test";
import { usesAny, usesOf } from "../../lib/store/kept-unit.ts";

test("the bytes that a unit uses of each pack are those of its files, and its list", () => {
  const file = (at: string, size: number) => ({ entry: { type: "file", mode: 0o644, at, size }, stat: null }) as const;
  const folder = { entry: { type: "folder", mode: 0o755 }, stat: null } as const;
  const files = { "/t/a": file("one:0", 3), "/t/b": file("one:3", 4), "/t/c": file("two:0", 5) };
  const entries = new Map(Object.entries({ ...files, "/t": folder }));
  assert.deepEqual(usesOf(entries, "two:5:70:abc"), { one: 7, two: 75 });
  const uses = usesOf(new Map(), "three:0:70:abc");
  assert.deepEqual(uses, { three: 70 });
  const row = { uses } as unknown as Parameters<typeof usesAny>[0];
  assert.deepEqual(
    [[], ["two"], ["two", "three"]].map((packs) => usesAny(row, new Set(packs))),
    [false, false, true],
  );
});

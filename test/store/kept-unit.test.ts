import assert from "node:assert/strict";
import { test } from "node:test";
import { type Keeper, saveAhead, saveEntries, usesAny, usesOf } from "../../lib/store/kept-unit.ts";
import type { ManifestEntry } from "../../lib/store/manifest.ts";
import { sha256 } from "../../lib/text/sha256.ts";

test("a unit counts the bytes of its files and its list in each pack", () => {
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

test("a file that a pack holds is not copied again, unless that pack is lost", () => {
  const entry = (sha256: string, at?: string) =>
    ({ type: "file", mode: 0o644, size: 1, sha256, ...(at === undefined ? {} : { at }) }) as const;
  const kept = (all: Readonly<Record<string, ManifestEntry>>) =>
    new Map(Object.entries(all).map(([path, one]) => [path, { entry: one, stat: null }]));
  const known = kept({ "/t/a": entry("aa", "old:0"), "/t/b": entry("bb", "lost:0") });
  const copied: string[] = [];
  const pack = { addFile: (path: Buffer) => `new:${copied.push(path.toString()) - 1}` } as unknown as Keeper["pack"];
  const keeper = { pack, lost: new Set(["lost"]), places: new Map([["cc", "other:7"]]) };
  const files = { "/t/a": entry("aa"), "/t/b": entry("bb"), "/t/c": entry("cc"), "/t/d": entry("bb") };
  const places = [...saveEntries(kept(files), known, keeper)].map(([path, one]) => [path, one.entry.at]);
  assert.deepEqual(Object.fromEntries(places), {
    "/t/a": "old:0",
    "/t/b": "new:0",
    "/t/c": "other:7",
    "/t/d": "new:0",
  });
  assert.deepEqual(copied, ["/t/b"]);
});

test("a file that is gone when it is to be copied keeps its entry, without a place", () => {
  const entry: ManifestEntry = { type: "file", mode: 0o644, size: 1, sha256: "aa" };
  const keeper = { pack: { addFile: () => null }, lost: new Set<string>(), places: new Map() } as unknown as Keeper;
  const saved = saveEntries(new Map([["/nonexistent/a", { entry, stat: null }]]), new Map(), keeper);
  assert.deepEqual([...saved.values()], [{ entry, stat: null }]);
  assert.equal(keeper.places.size, 0);
});

test("bytes that are kept before they are written have a place, and the mode of the file that they will replace", () => {
  const keeper = { pack: { keepText: () => "new:0" }, lost: new Set<string>(), places: new Map<string, string>() };
  const bytes = Buffer.from("text");
  const save = (there?: ManifestEntry) => saveAhead(there, bytes, keeper as unknown as Keeper);
  const entry = { type: "file", mode: 0o644, sha256: sha256(bytes), size: 4 };
  assert.deepEqual([save(), save({ type: "file", mode: 0o755 })], [entry, { ...entry, mode: 0o755 }]);
  assert.deepEqual([...keeper.places], [[sha256(bytes), "new:0"]]);
});

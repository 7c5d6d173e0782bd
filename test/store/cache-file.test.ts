import assert from "node:assert/strict";
import { lstatSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createStatCache, decodeCacheFile, readCacheFile, writeCacheFile } from "../../lib/store/cache-file.ts";

test("a written value comes back whole by its key, and nothing of a file with a changed byte", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "task-phase-cache-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const cache = { path: join(folder, "cache"), key: ["a\nb", 1], mostBytes: 1_000 };
  assert.equal(readCacheFile(cache), null);
  assert.equal(writeCacheFile(cache, ["text\n", new Uint8Array([0, 255])]), true);
  assert.deepEqual(readCacheFile(cache), Buffer.from("text\n\0\xff", "latin1"));
  for (const key of [["a\nb", 2], ["a\nb"], [], ["a\nb", 1, 2]]) assert.equal(readCacheFile({ ...cache, key }), null);
  assert.equal(readCacheFile({ ...cache, mostBytes: 10 }), null);
  const bytes = readFileSync(cache.path);
  for (let at = 0; at < bytes.length; at += 1) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(cache.path, damaged);
    assert.equal(readCacheFile(cache), null, `byte ${at}`);
    writeFileSync(cache.path, bytes.subarray(0, at));
    assert.equal(readCacheFile(cache), null, `${at} bytes`);
  }
  assert.equal(writeCacheFile({ ...cache, path: join(folder, "none", "cache") }, ["text"]), false);
});

test("content that its reader fails on is none, whatever digest stands over it", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "task-phase-cache-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const cache = { path: join(folder, "cache"), key: [], mostBytes: 1_000 };
  const decode = (content: Buffer): unknown => JSON.parse(content.toString());
  assert.equal(decodeCacheFile(cache, decode), null);
  writeCacheFile(cache, ["[1"]);
  assert.equal(decodeCacheFile(cache, decode), null);
  writeCacheFile(cache, ["[1]"]);
  assert.deepEqual(decodeCacheFile(cache, decode), [1]);
});

const longAgo = new Date(0);

async function makeCached(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "task-phase-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "a.txt");
  writeFileSync(file, "one");
  utimesSync(file, longAgo, longAgo);
  // A file counts as settled only some time after its last change.
  await setTimeout(120);
  const cache = createStatCache<number>();
  let computed = 0;
  const read = (paths: string | readonly string[] = file) =>
    cache(paths, () => {
      computed += 1;
      return computed;
    });
  return { file, folder, read };
}

test("works out once what comes from a file that stays the same", async (t) => {
  const { read } = await makeCached(t);
  assert.deepEqual([read(), read(), read()], [1, 1, 1]);
});

/** From now on it is as late as was said last, in milliseconds after this change of the file. */
function stopClock(t: TestContext, file: string): (afterMs: number) => void {
  const changed = lstatSync(file).ctimeMs;
  let now = changed;
  t.mock.method(Date, "now", () => now);
  return (afterMs) => {
    now = changed + afterMs;
  };
}

test("works it out anew after every change, also one of the same size that sets its time back", async (t) => {
  const { file, folder, read } = await makeCached(t);
  read();
  writeFileSync(file, "two");
  utimesSync(file, longAgo, longAgo);
  const setClock = stopClock(t, file);
  assert.equal(read(), 2);
  setClock(120);
  assert.deepEqual([read(), read()], [3, 3]);
  writeFileSync(join(folder, "b.txt"), "two");
  renameSync(join(folder, "b.txt"), file);
  assert.equal(read(), 4);
  rmSync(file);
  assert.equal(read(), 5);
});

test("trusts nothing that changed a moment ago", async (t) => {
  const { file, read } = await makeCached(t);
  writeFileSync(file, "new");
  stopClock(t, file);
  assert.deepEqual([read(), read()], [1, 2]);
});

test("remembers that a file is missing, until it is there", async (t) => {
  const { folder, file, read } = await makeCached(t);
  const other = join(folder, "other.txt");
  assert.deepEqual([read([file, other]), read([file, other])], [1, 1]);
  writeFileSync(other, "");
  assert.equal(read([file, other]), 2);
});

test("trusts nothing that may not be looked at, and remembers no failure", async (t) => {
  const { file, read } = await makeCached(t);
  assert.deepEqual([read(join(file, "below")), read(join(file, "below"))], [1, 2]);
  const cache = createStatCache<number>();
  const fails = () =>
    cache(file, () => {
      throw new Error("no");
    });
  assert.throws(fails, /no/);
  assert.equal(
    cache(file, () => 7),
    7,
  );
});

test("forgets first what was worked out longest ago", async (t) => {
  const { folder } = await makeCached(t);
  const later = Date.now() + 60_000;
  t.mock.method(Date, "now", () => later);
  const cache = createStatCache<string>(2);
  const computed: string[] = [];
  const read = (name: string) =>
    cache(join(folder, name), () => {
      computed.push(name);
      return name;
    });
  read("a.txt");
  read("b");
  writeFileSync(join(folder, "a.txt"), "another");
  for (const name of ["a.txt", "c", "a.txt", "b"]) assert.equal(read(name), name);
  assert.deepEqual(computed, ["a.txt", "b", "a.txt", "c", "b"]);
});

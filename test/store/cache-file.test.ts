import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readCacheFile, writeCacheFile } from "../../lib/store/cache-file.ts";

test("what was written comes back whole by its key, and nothing of a file with any other byte", (t) => {
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

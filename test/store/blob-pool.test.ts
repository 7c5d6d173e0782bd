import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { openSnapshotStore } from "../../lib/store/snapshot.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { refusing } from "./refused-calls.ts";
import { withFolder } from "./temporary-folder.ts";

const all = { skip: () => false };
const digest = sha256("the same bytes");

function arrange(folder: string) {
  const file = path.join(folder, "file.txt");
  writeFileSync(file, "the same bytes");
  const pool = path.join(folder, "pool");
  const open = (name: string) => openSnapshotStore(path.join(folder, name), { pool });
  const blob = (name: string) => path.join(folder, name, "blobs", digest);
  return { file, pool, open, blob };
}

test("stores with one pool keep one file for the same bytes, and each can put it back", () =>
  withFolder((folder) => {
    const { file, pool, open, blob } = arrange(folder);
    const [one, other] = [open("one"), open("other")];
    one.record([file], all);
    const manifest = other.record([file], all);
    assert.equal(statSync(blob("one")).ino, statSync(blob("other")).ino);
    assert.deepEqual(readdirSync(pool), [digest]);
    one.prune([]);
    writeFileSync(file, "forged");
    for (const change of other.compare(manifest, all)) other.restore(change, null);
    assert.equal(readFileSync(file, "utf8"), "the same bytes");
  }));

test("blobs that no store needs any more leave the pool too", () =>
  withFolder((folder) => {
    const { file, pool, open } = arrange(folder);
    const [one, other] = [open("one"), open("other")];
    for (const store of [one, other]) store.record([file], all);
    one.prune([]);
    assert.deepEqual(readdirSync(pool), [digest]);
    other.prune([]);
    assert.deepEqual(readdirSync(pool), []);
  }));

test("a store does without what the pool has in another length", () =>
  withFolder((folder) => {
    const { file, pool, open, blob } = arrange(folder);
    open("one").record([file], all);
    rmSync(path.join(pool, digest));
    writeFileSync(path.join(pool, digest), "cut");
    const other = open("other");
    other.record([file], all);
    assert.notEqual(statSync(blob("other")).ino, statSync(path.join(pool, digest)).ino);
    assert.equal(other.readBlob(digest)?.toString(), "the same bytes");
  }));

test("a file that is remembered is read again as soon as it is another one", () =>
  withFolder((folder) => {
    const { file, open } = arrange(folder);
    const store = open("one");
    const remembering = { ...all, remembers: () => true };
    // Older than what may change again within one tick of the clock.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 110);
    const manifest = store.record([file], remembering);
    const compare = () => store.compare(manifest, remembering);
    assert.deepEqual(compare(), []);
    assert.deepEqual(refusing("openSync", "EACCES", /file\.txt$/, compare), [], "it is not read again before that");
    writeFileSync(file, "THE SAME BYTES");
    assert.deepEqual(
      store.compare(manifest, remembering).map(({ change }) => change),
      ["changed"],
    );
  }));

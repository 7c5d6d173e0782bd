import assert from "node:assert/strict";
import { test } from "node:test";
import { blobName, openObjects, readBlob, sizesOf } from "../../lib/git/objects.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { makeGitRepo } from "../history/git-maker.ts";
import { gitEnv } from "./git-repo.ts";

test("blobs are read from one process, in any order and size, and what is none is said to be missing", async (t) => {
  const large = "line\n".repeat(100_000);
  const repo = makeGitRepo(t, [{ files: { small: "a\n", empty: "", large } }]);
  const place = findGitPlace(repo.folder) ?? assert.fail();
  const name = (path: string) => repo.git("rev-parse", `HEAD:${path}`).trim();
  const names = [name("large"), name("small"), name("empty"), name(""), "1".repeat(40)];
  const objects = await openObjects(place, gitEnv);
  t.after(() => objects.close());
  const read: unknown[] = [];
  for (const oid of [...names, names[0] ?? ""]) {
    const object = await objects.read(oid, 600_000);
    read.push(object.kind === "blob" ? object.bytes.toString() : object);
  }
  assert.deepEqual(read, [large, "a\n", "", { kind: "missing" }, { kind: "missing" }, large]);
  assert.deepEqual(await objects.read(names[0] ?? "", 10), { kind: "too_big", size: 500_000 });
  const sizes = await sizesOf(place, names, gitEnv);
  assert.deepEqual([...sizes.values()], [500_000, 2, 0]);
  assert.deepEqual(await sizesOf(place, [], gitEnv), new Map());
});

test("one file of a commit is read by its path, and is null where there is none", async (t) => {
  const repo = makeGitRepo(t, [{ files: { "notes/a b.txt": "a\r\n" } }]);
  const place = findGitPlace(repo.folder) ?? assert.fail();
  const read = async (name: string) => (await readBlob(place, name, gitEnv))?.toString() ?? null;
  assert.equal(await read("HEAD:notes/a b.txt"), "a\r\n");
  for (const name of ["HEAD:notes/b.txt", "HEAD:notes", "HEAD:", "other:notes/a b.txt", "1".repeat(40), ""])
    assert.equal(await read(name), null, name);
});

test("a git that does not exist, or that ends, is named in the error", async (t) => {
  const repo = makeGitRepo(t, [{ files: { a: "a" } }]);
  const place = findGitPlace(repo.folder) ?? assert.fail();
  await assert.rejects(openObjects(place, { ...gitEnv, PATH: "/nonexistent" }), /git is not on the PATH/);
  const nowhere = await openObjects({ ...place, gitDir: "/nonexistent" }, gitEnv);
  t.after(() => nowhere.close());
  await assert.rejects(
    nowhere.read("1".repeat(40), 1),
    /git cat-file failed in the repository at .*: fatal: not a git repository/,
  );
});

test("a blob is named as git names it, with either hash", () => {
  const bytes = Buffer.from("hello\n");
  assert.equal(blobName(bytes, 40), "ce013625030ba8dba906f756967f9e9ca394464a");
  assert.equal(blobName(bytes, 64), "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4");
});

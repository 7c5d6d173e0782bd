import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { takeFingerprint } from "../../../lib/git/fingerprint.ts";
import { dropOrigin, openOrigin, readOriginText, saveOrigin } from "../../../lib/task/origin.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { refusing } from "../../store/refused-calls.ts";
import { makeProofWorld } from "./arrange.ts";

test("files and links are kept by content, and opened by the fingerprint that they had", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "same\n", "b.txt": "same\n" });
  world.link("a.txt", "my repo/link");
  const origin = await world.origin();
  assert.deepEqual([...origin.entries.keys()].sort(), [".git/info/exclude", "a.txt", "b.txt", "link"]);
  assert.equal(readFileSync(origin.blobPath(sha256("same\n")), "utf8"), "same\n");
  assert.equal(readFileSync(origin.blobPath(sha256("a.txt")), "utf8"), "a.txt");
  assert.equal(readdirSync(world.path("kept/origin/blobs")).length, 2);
  const place = { folder: world.path("kept/origin") };
  assert.deepEqual(openOrigin(place, origin.fingerprint)?.entries, origin.entries);
  assert.equal(openOrigin(place, "0".repeat(64)), null);
  assert.equal(openOrigin(place, null), null);
  writeFileSync(world.path("kept/origin/entries.jsonl"), '["a.txt","file 644 x"]\n');
  assert.equal(openOrigin(place, origin.fingerprint), null);
});

test("two tasks on the same code share the bytes, and the last one that is dropped removes them", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n" });
  const fingerprint = await takeFingerprint(world.repo, [], world.env);
  const places = ["one", "two"].map((name) => ({ folder: world.path("kept", name), pool: world.path("kept/pool") }));
  for (const place of places) assert.equal(await saveOrigin(place, world.repo, fingerprint), null);
  const blob = sha256("a\n");
  assert.equal(statSync(world.path("kept/pool", blob)).nlink, 3);
  const [one, two] = places;
  assert(one !== undefined && two !== undefined);
  dropOrigin(one);
  assert.equal(world.exists("kept/one"), false);
  assert.equal(readFileSync(world.path("kept/two/blobs", blob), "utf8"), "a\n");
  dropOrigin(two);
  assert.deepEqual(readdirSync(world.path("kept/pool")), []);
  dropOrigin(two);
});

test("a file that changed since the fingerprint is not kept under its name", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n", "b.txt": "b\n" });
  for (const name of ["bent", "replaced"]) world.link(name, `my repo/${name}`);
  const fingerprint = await takeFingerprint(world.repo, [], world.env);
  for (const name of ["bent", "replaced"]) rmSync(world.path("my repo", name));
  world.link("elsewhere", "my repo/bent");
  world.write("my repo/replaced", "a file\n");
  world.write("my repo/a.txt", "c\n");
  rmSync(world.path("my repo/b.txt"));
  const place = { folder: world.path("kept/one"), pool: world.path("kept/pool") };
  assert.equal(await saveOrigin(place, world.repo, fingerprint), null);
  assert.deepEqual(readdirSync(world.path("kept/one/blobs")), []);
  assert.deepEqual(readdirSync(world.path("kept/pool")), []);
});

test("a repo that is too large is refused with the reason, and nothing of it is left", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n" });
  world.write("my repo/zz-large.bin", "");
  // Sparse: it takes no room on the disk.
  truncateSync(world.path("my repo/zz-large.bin"), 1024 ** 3);
  const entry = `file 644 ${"0".repeat(64)}`;
  const small = await takeFingerprint(world.repo, [world.path("my repo/zz-large.bin")], world.env);
  const fingerprint = { hash: small.hash, entries: new Map([...small.entries, ["zz-large.bin", entry]]) };
  const place = { folder: world.path("kept/one"), pool: world.path("kept/pool") };
  assert.equal(await saveOrigin(place, world.repo, fingerprint), "the repo has more than 1024 MiB");
  assert.equal(world.exists("kept/one"), false);
  assert.deepEqual(readdirSync(world.path("kept/pool")), []);
});

test("the text of a file as at pass 1 is read by its digest, and is none if it is damaged, gone, or no file", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
  world.link("a.txt", "my repo/link");
  const origin = await world.origin();
  writeFileSync(origin.blobPath(sha256("b\n")), "x\n");
  rmSync(origin.blobPath(sha256("c\n")));
  const read = ["a.txt", "b.txt", "c.txt", "link", "none.txt"].map((path) => readOriginText(origin, path));
  assert.deepEqual(read, ["a\n", null, null, null, null]);
});

test("a copy that a killed run left half-made is made anew, and equal bytes are read once", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "same\n", "b.txt": "same\n", "c.txt": "c\n" });
  const place = { folder: world.path("kept/one"), pool: world.path("kept/pool") };
  const fingerprint = await takeFingerprint(world.repo, [], world.env);
  world.write("kept/one/blobs/half", "half");
  const opened: string[] = [];
  const test = (path: string) => opened.push(path) < 0;
  assert.equal(await refusing("openSync", "EIO", { test }, () => saveOrigin(place, world.repo, fingerprint)), null);
  const blob = (text: string) => world.path("kept/one/blobs", sha256(text));
  assert.deepEqual([world.exists("kept/one/blobs/half"), readFileSync(blob("same\n"), "utf8")], [false, "same\n"]);
  assert.equal(opened.filter((path) => path === blob("same\n")).length, 1);
});

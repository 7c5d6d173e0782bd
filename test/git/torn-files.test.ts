import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findGitPlace } from "../../lib/git/place.ts";
import { isTornFrom, mendTorn } from "../../lib/git/torn-files.ts";
import { makeFolder } from "../process/arrange.ts";
import { git, gitEnv, makeRepo } from "./git-repo.ts";

test("bytes are torn if they are the beginning, with zeros for what was lost, and nothing else", () => {
  const torn = (bytes: string, whole = "abc\n") => isTornFrom(Buffer.from(bytes), Buffer.from(whole));
  assert.deepEqual(
    ["", "a", "ab\0\0", "\0\0\0\0", "abc\n"].map((bytes) => torn(bytes)),
    Array(5).fill(true),
  );
  assert.deepEqual(
    ["b", "abd", "abc\nd", "\0\0\0\0\0", " "].map((bytes) => torn(bytes)),
    Array(5).fill(false),
  );
});

test("torn and missing files of a folder get the bytes of the commit, and what somebody changed stays", async (t) => {
  const repo = join(makeFolder(t), "repo");
  const files = ["empty", "half", "zeros", "gone", "run.sh", "grown", "edited", "sub/deep", "lost/x", "file/x"].map(
    (name) => `t/a b/${name}`,
  );
  makeRepo(repo, {
    ...Object.fromEntries(files.map((name) => [name, `${name}\n`])),
    "t/a bc": "x\n",
    "src.txt": "x\n",
  });
  const at = (name: string) => join(repo, name);
  chmodSync(at("t/a b/run.sh"), 0o755);
  git(repo, "commit", "-qam", "modes");
  const commit = git(repo, "rev-parse", "HEAD").trim();
  for (const name of ["t/a b/empty", "t/a b/sub/deep", "t/a bc", "src.txt"]) writeFileSync(at(name), "");
  writeFileSync(at("t/a b/half"), "t/a");
  writeFileSync(at("t/a b/zeros"), "\0".repeat(5));
  for (const name of ["gone", "run.sh", "lost", "file"]) rmSync(at(`t/a b/${name}`), { recursive: true });
  writeFileSync(at("t/a b/file"), "in the place of a folder\n");
  writeFileSync(at("t/a b/grown"), "t/a b/grown\nmore\n");
  writeFileSync(at("t/a b/edited"), "other\n");
  const place = findGitPlace(repo);
  assert(place !== null);
  await mendTorn(place, commit, "t/a b", gitEnv);
  const torn = ["empty", "gone", "half", "lost/x", "run.sh", "sub/deep", "zeros"].map((name) => `t/a b/${name}`);
  for (const name of torn) assert.equal(readFileSync(at(name), "utf8"), `${name}\n`);
  assert.equal(statSync(at("t/a b/run.sh")).mode & 0o777, 0o755);
  assert.equal(git(repo, "diff", "--name-only"), "src.txt\nt/a b/edited\nt/a b/file/x\nt/a b/grown\nt/a bc\n");
  const written = torn.map((name) => statSync(at(name)).ino);
  await mendTorn(place, commit, "t/a b", gitEnv);
  assert.deepEqual(
    torn.map((name) => statSync(at(name)).ino),
    written,
  );
});

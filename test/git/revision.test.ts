import assert from "node:assert/strict";
import { test } from "node:test";
import { findGitPlace } from "../../lib/git/place.ts";
import {
  changedWith,
  countCodePaths,
  findCommit,
  findCommits,
  findLastChange,
  isOnRemote,
  listSince,
  listTreeFiles,
} from "../../lib/git/revision.ts";
import { makeGitRepo } from "../history/git-maker.ts";
import { gitEnv } from "./git-repo.ts";

test("revisions are found, and what is none, or several, or an option, is null", async (t) => {
  const repo = makeGitRepo(t, [{ files: { a: "1" } }, { files: { a: "2" } }]);
  const place = findGitPlace(repo.folder) ?? assert.fail();
  const [first = "", second = ""] = repo.commits;
  repo.git("update-ref", "refs/remotes/o/main", first);
  repo.git("-c", "user.name=a", "-c", "user.email=a@x", "tag", "-a", "-m", "tag", "v1", first);
  const blob = repo.git("rev-parse", "HEAD:a").trim();
  const found = { HEAD: second, main: second, "HEAD~1": first, v1: first, [first.slice(0, 12)]: first };
  const none = ["", "-h", "--all", "none", "HEAD\0", blob, "1".repeat(40), "HEAD~9"];
  for (const [name, sha] of Object.entries(found)) assert.equal(await findCommit(place, name, gitEnv), sha, name);
  for (const name of none) assert.equal(await findCommit(place, name, gitEnv), null, name);
  const names = ["HEAD", "none", blob, "v1"];
  assert.deepEqual(
    await findCommits(place, names, gitEnv),
    new Map([
      ["HEAD", second],
      ["v1", first],
    ]),
  );
  assert.deepEqual(await findCommits(place, [], gitEnv), new Map());
  assert.deepEqual(await listSince(place, [second], first, gitEnv), new Set([second]));
  assert.deepEqual(await listSince(place, [first], second, gitEnv), new Set());
  const onRemote = await Promise.all([first, second, "1".repeat(40)].map((sha) => isOnRemote(place, sha, gitEnv)));
  assert.deepEqual(onRemote, [true, false, false]);
});

test("what commits changed is known by paths, which are no patterns", async (t) => {
  const repo = makeGitRepo(t, [
    { files: { "t/j": "1", "t/*": "1", code: "1" } },
    { files: { "t/j": "2", code: "2" } },
    { files: { "t/other": "1", "x ü": "1", "t/sub/a": "1" } },
  ]);
  const place = findGitPlace(repo.folder) ?? assert.fail();
  const [first = "", second = "", third = ""] = repo.commits;
  const last = (path: string) => findLastChange(place, third, path, gitEnv);
  assert.deepEqual([await last("t/j"), await last("t/*"), await last("none")], [second, first, null]);
  assert.deepEqual((await changedWith(place, [first, third], "t/j", gitEnv)).sort(), ["code", "t/j"]);
  assert.deepEqual(await changedWith(place, [second, third], "t/j", gitEnv), []);
  const count = (folder: string, leaveOut = (_path: string) => false) =>
    countCodePaths(place, [first, third], folder, leaveOut, gitEnv);
  assert.deepEqual([await count("."), await count("t"), await count(".", (path) => path === "x ü")], [5, 3, 4]);
  const list = async (folder: string) => (await listTreeFiles(place, third, folder, gitEnv)).map(({ path }) => path);
  assert.deepEqual(await list("t/"), ["t/*", "t/j", "t/other", "t/sub/a"]);
  assert.deepEqual((await list("")).at(-1), Buffer.from("x ü").toString("latin1"));
  assert.deepEqual(await list("t/n*/"), []);
});

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { execa } from "execa";
import { commitPaths } from "../../lib/git/commit.ts";
import { giveObjects } from "../../lib/git/give-objects.ts";
import { besideObjects } from "../../lib/git/objects.ts";
import { renderRefLock, swapOwn } from "../../lib/git/own-ref.ts";
import { findGitPlace, type GitPlace } from "../../lib/git/place.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo } from "./git-repo.ts";
import { commitRequest } from "./git-world.ts";

const ref = "refs/heads/task-phase/T-1";
const beside = "refs/task-phase/seen/T-1";

/** A repository `repo`, and a clone that borrows its objects and writes its own into `objects`. */
function makeOwn(folder: string) {
  const [repo, clone, objects, scratch] = ["repo", "clone", "objects", "scratch"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  makeRepo(repo, { "a.txt": "one\n" });
  git(folder, "clone", "-q", "--shared", repo, clone);
  writeFileSync(join(clone, ".git/objects/info/alternates"), `${join(repo, ".git/objects")}\n${objects}\n`);
  for (const name of [objects, scratch]) mkdirSync(name);
  const tree = findGitPlace(repo) as GitPlace;
  const own = { tree, objects, env: gitEnv };
  const swap = (commit: string, expected: string | null) =>
    swapOwn(own, { ref, beside, commit, expected, wait: async () => false });
  const make = async (text: string): Promise<string> => {
    writeFileSync(join(clone, "b.txt"), text);
    const variables = besideObjects(tree, objects);
    return (await commitPaths({ ...commitRequest(clone, scratch, ["b.txt"]), variables })).sha ?? "none";
  };
  return { repo, clone, objects, swap, make, at: (name: string) => git(repo, "rev-parse", name).trim() };
}

describe("a ref of one's own repository", () => {
  test("goes from commit to commit, and another one keeps each", () =>
    withFolder(async (folder) => {
      const { repo, swap, make, at } = makeOwn(folder);
      const one = await make("one\n");
      assert.throws(() => git(repo, "cat-file", "-e", one));
      assert.deepEqual(await swap(one, null), { kind: "swapped" });
      const two = await make("two\n");
      assert.deepEqual(await swap(two, one), { kind: "swapped" });
      assert.deepEqual([at(ref), at(beside)], [two, two]);
      assert.equal(git(repo, "reflog", "show", "--format=%gs", ref), "task-phase\ntask-phase\n");
      git(repo, "fsck", "--full", "--strict");
    }));

  test("is never taken from a faster runner, nor made twice", () =>
    withFolder(async (folder) => {
      const { repo, swap, make, at } = makeOwn(folder);
      const one = await make("one\n");
      git(repo, "update-ref", ref, "main");
      assert.deepEqual(await swap(one, null), { kind: "lost", theirs: at("main") });
      assert.equal(at(ref), at("main"));
      assert.throws(() => at(beside));
    }));

  test("is left alone where it is checked out, or is to be again after a rebase", () =>
    withFolder(async (folder) => {
      const { repo, swap, make } = makeOwn(folder);
      const one = await make("one\n");
      await swap(one, null);
      const two = await make("two\n");
      git(repo, "checkout", "-q", "task-phase/T-1");
      assert.equal((await swap(two, one)).kind, "refused");
      git(repo, "checkout", "-q", "main");
      writeFileSync(join(repo, "b.txt"), "other\n");
      git(repo, "add", ".");
      git(repo, "commit", "-q", "-m", "other");
      git(repo, "checkout", "-q", "task-phase/T-1");
      assert.throws(() => git(repo, "rebase", "-q", "main"));
      assert.equal((await swap(two, one)).kind, "refused");
      git(repo, "rebase", "--abort");
      git(repo, "checkout", "-q", "main");
      assert.deepEqual(await swap(two, one), { kind: "swapped" });
    }));

  test("gets its commit after a kill between objects and ref, also if a clean-up took the objects", () =>
    withFolder(async (folder) => {
      const { repo, objects, swap, make, at } = makeOwn(folder);
      const one = await make("one\n");
      giveObjects(objects, join(repo, ".git/objects"));
      git(repo, "cat-file", "-e", one);
      git(repo, "prune", "--expire=now");
      assert.throws(() => git(repo, "cat-file", "-e", one));
      assert.deepEqual(await swap(one, null), { kind: "swapped" });
      // As if the kill had come behind the ref.
      git(repo, "update-ref", "-d", beside);
      assert.deepEqual(await swap(one, null), { kind: "swapped" });
      assert.equal(at(beside), one);
      rmSync(objects, { recursive: true });
      git(repo, "fsck", "--full", "--strict");
    }));

  // A git that runs until its input ends, in the place of one that cleans up.
  const cleanUp = (t: TestContext, repo: string) => {
    const gc = execa("git", ["cat-file", "--batch"], { cwd: repo, stdin: "pipe", reject: false });
    t.after(() => gc.stdin.end());
    writeFileSync(join(repo, ".git/gc.pid"), `${gc.pid} host`);
    return async () => {
      rmSync(join(repo, ".git/gc.pid"));
      gc.stdin.end();
      await gc;
    };
  };

  test("keeps its objects under a `git gc` that began before, and takes loose ones after it moved", (t) =>
    withFolder(async (folder) => {
      const { repo, objects, swap, make, at } = makeOwn(folder);
      const end = cleanUp(t, repo);
      for (const [text, expected] of [
        ["one\n", null],
        ["two\n", ref],
      ] as const) {
        const commit = await make(text);
        assert.deepEqual(await swap(commit, expected === null ? null : at(expected)), { kind: "swapped" });
        rmSync(join(repo, ".git/objects", commit.slice(0, 2), commit.slice(2)));
        assert.equal(at(ref), commit);
        git(repo, "fsck", "--full", "--strict");
      }
      await end();
      rmSync(objects, { recursive: true });
      git(repo, "gc", "-q", "--prune=now");
      git(repo, "fsck", "--full", "--strict");
      const packs = readdirSync(join(repo, ".git/objects/pack"));
      assert.deepEqual(
        packs.filter((name) => name.endsWith(".keep")),
        [],
      );
      assert.equal(packs.filter((name) => name.endsWith(".pack")).length, 1);
    }));

  test("leaves no mark where another ref was faster, and its pack goes with the next clean-up", (t) =>
    withFolder(async (folder) => {
      const { repo, swap, make, at } = makeOwn(folder);
      const end = cleanUp(t, repo);
      const one = await make("one\n");
      git(repo, "update-ref", ref, "main");
      assert.deepEqual(await swap(one, null), { kind: "lost", theirs: at("main") });
      await end();
      assert.deepEqual(
        readdirSync(join(repo, ".git/objects/pack")).filter((name) => name.endsWith(".keep")),
        [],
      );
      git(repo, "gc", "-q", "--prune=now");
      assert.throws(() => git(repo, "cat-file", "-e", one));
    }));

  test("says in one line what keeps it from moving, such as a lock that a power cut left", () =>
    withFolder(async (folder) => {
      const { repo, swap, make } = makeOwn(folder);
      const one = await make("one\n");
      const lock = join(repo, ".git", `${ref}.lock`);
      mkdirSync(join(lock, ".."), { recursive: true });
      writeFileSync(lock, "");
      const end = await swap(one, null);
      assert.equal(end.kind, "unreachable");
      assert.match(end.kind === "unreachable" ? end.why : "", /^git update-ref failed [^\n]*cannot lock ref[^\n]*$/);
      assert.ok(renderRefLock(findGitPlace(repo) as GitPlace, [ref])?.includes(lock));
      rmSync(lock);
      assert.equal(renderRefLock(findGitPlace(repo) as GitPlace, [ref]), null);
    }));

  test("never names an object that was planted under a false name", () =>
    withFolder(async (folder) => {
      const { repo, clone, swap, make } = makeOwn(folder);
      writeFileSync(join(clone, "b.txt"), "right\n");
      const name = git(clone, "hash-object", "b.txt").trim();
      writeFileSync(join(clone, "c.txt"), "wrong\n");
      const other = git(clone, "hash-object", "-w", "c.txt").trim();
      const pathOf = (oid: string) => join(clone, ".git/objects", oid.slice(0, 2), oid.slice(2));
      mkdirSync(join(pathOf(name), ".."), { recursive: true });
      copyFileSync(pathOf(other), pathOf(name));
      assert.equal(git(clone, "cat-file", "-p", name), "wrong\n");
      assert.deepEqual(await swap(await make("right\n"), null), { kind: "swapped" });
      assert.equal(git(repo, "show", `${ref}:b.txt`), "right\n");
      git(repo, "fsck", "--full", "--strict");
    }));
});

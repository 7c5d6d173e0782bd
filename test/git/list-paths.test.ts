import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { findGitTop, readRepo, visitRepo } from "../../lib/git/list-paths.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

describe("findGitTop", () => {
  it("finds the nearest repository upward, through a gitfile too, and no folder that only has the name", () =>
    withFolder((folder) => {
      makeRepo(join(folder, "repo"), { "a/b/c": "x" });
      git(join(folder, "repo"), "worktree", "add", "-q", join(folder, "linked"));
      write(folder, { "repo/a/.git/config": "", "repo/a/b/.git": "gitdir: /nonexistent\n", "plain/.git": "no" });
      const tops = ["repo/a/b", "repo", "linked/a", "plain", "none"].map((path) => findGitTop(join(folder, path)));
      assert.deepEqual(tops, [join(folder, "repo"), join(folder, "repo"), join(folder, "linked"), null, null]);
    }));
});

async function pathsOf(folder: string): Promise<string[]> {
  const paths: string[] = [];
  await visitRepo(folder, ({ path }) => paths.push(String(path)), gitEnv);
  return paths;
}

describe("visitRepo", () => {
  it("asks for the tracked paths again only if the index changed", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1" });
      const names = async () => (await pathsOf(folder)).sort();
      assert.deepEqual(await names(), ["a"]);
      write(folder, { ".git/info/exclude": "b\n", b: "2" });
      assert.deepEqual(await names(), ["a"]);
      git(folder, "add", "--force", "b");
      assert.deepEqual(await names(), ["a", "b"]);
      git(folder, "rm", "-q", "--cached", "b");
      assert.deepEqual(await names(), ["a"]);
      git(folder, "update-index", "--split-index");
      git(folder, "add", "--force", "b");
      assert.deepEqual(await names(), ["a", "b"]);
    }));

  it("lists tracked and new paths once, also while a merge is unresolved", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1" });
      git(folder, "checkout", "-q", "-b", "other");
      write(folder, { a: "2" });
      git(folder, "commit", "-q", "-a", "-m", "other");
      git(folder, "checkout", "-q", "main");
      write(folder, { a: "3" });
      git(folder, "commit", "-q", "-a", "-m", "main");
      assert.throws(() => git(folder, "merge", "-q", "other"));
      write(folder, { new: "x" });
      assert.deepEqual((await pathsOf(folder)).sort(), ["a", "new"]);
    }));
});

/** A step that makes a repository odd, in one of its folders. */
type Step = readonly [
  folder: string,
  kind: "file" | "link" | "folder" | "repo" | "rules" | "add" | "force" | "remove",
  name: string,
];

const folders = ["", "a", "a/b", "build", "build/x y", ".venv"];
const patterns = ["*", "a", "b/", "build/", "!a", "/b", "*.txt", ".gitignore", "!build", "!.gitignore", "!*/", "x*"];
const steps = fc.array(
  fc.tuple(
    fc.constantFrom(...folders),
    fc.constantFrom("file", "file", "link", "folder", "repo", "rules", "rules", "add", "force", "remove"),
    fc.constantFrom(...patterns, "n", "é"),
  ),
  { minLength: 4, maxLength: 20 },
) as fc.Arbitrary<Step[]>;

function take(root: string, [folder, kind, name]: Step): void {
  const at = join(root, folder);
  const path = join(at, name.replace(/[^\w.é]/g, "") || "n");
  try {
    mkdirSync(at, { recursive: true });
    if (kind === "file") writeFileSync(path, name);
    else if (kind === "link") symlinkSync("..", path);
    else if (kind === "folder") mkdirSync(path);
    else if (kind === "rules") appendFileSync(join(at, ".gitignore"), `${name}\n`);
    else if (kind === "remove") rmSync(path, { recursive: true, force: true });
    else if (kind === "repo") makeRepo(path, name.length % 2 === 0 ? { in: "x" } : {});
    else git(root, "add", ...(kind === "force" ? ["--force"] : []), "--", folder === "" ? "." : folder);
  } catch {
    // Something else is there by now, or git refuses to add it: the repository is odd enough.
  }
}

/** What git lists itself, with one call for the paths and one for rules that are nowhere listed. */
function listByGit(folder: string): string[] {
  const list = (...args: string[]): string[] =>
    git(folder, "ls-files", "-z", ...args, "--exclude-standard")
      .split("\0")
      .filter(Boolean);
  const hidden = list("--others", "--ignored").filter((path) => basename(path) === ".gitignore");
  const inIgnored = (path: string): boolean => {
    try {
      if (dirname(path) === ".") return false;
      git(folder, "check-ignore", "-q", "--no-index", "--", dirname(path));
      return true;
    } catch {
      return false;
    }
  };
  const paths = [...list("--cached", "--others"), ...hidden.filter((path) => !inIgnored(path))];
  return [...new Set(paths.map((path) => path.replace(/\/$/, "")))].sort();
}

describe("visitRepo beside git", () => {
  it("lists what git's own listings name, whatever the rules, links and nested repositories are", () =>
    withFolder(async (folder) => {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (made) => {
          const root = join(folder, String(count++));
          makeRepo(root, { "a/first": "x" });
          for (const step of made) take(root, step);
          // Nested repositories are looked into, and links are not followed: git does neither.
          const outer = (paths: readonly string[]) => paths.filter((path) => !isInside(root, path));
          assert.deepEqual(outer(await pathsOf(root)).sort(), outer(listByGit(root)));
        }),
        { numRuns: 25, seed: 20261123 },
      );
    }));
});

/** Whether the path is a folder, in a nested repository, or behind a link. */
function isInside(root: string, path: string): boolean {
  if (lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true) return true;
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    const stats = lstatSync(join(root, at), { throwIfNoEntry: false });
    if (stats?.isDirectory() !== true || existsSync(join(root, at, ".git"))) return true;
  }
  return false;
}

describe("readRepo", () => {
  it("tells the branch and whether anything differs", () =>
    withFolder(async (folder) => {
      assert.deepEqual(await readRepo(folder, [], gitEnv), { branch: null, dirty: null });
      git(folder, "init", "-q");
      assert.deepEqual(await readRepo(folder, [], gitEnv), { branch: "main", dirty: false });
      write(folder, { a: "a" });
      git(folder, "add", "-A");
      git(folder, "commit", "-q", "-m", "first");
      assert.deepEqual(await readRepo(folder, [], gitEnv), { branch: "main", dirty: false });
      write(folder, { "in/b": "b" });
      git(folder, "checkout", "-q", "--detach");
      assert.deepEqual(await readRepo(join(folder, "in"), [], gitEnv), { branch: null, dirty: true });
      write(folder, { ".git/index": "garbage" });
      assert.equal((await readRepo(folder, [], gitEnv)).dirty, null);
      assert.deepEqual(await readRepo(folder, [], { PATH: "/nonexistent" }), {
        branch: null,
        dirty: null,
      });
    }));

  it("runs no filter that .git/config names", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "a", ".gitattributes": "* filter=evil\n" });
      writeFileSync(join(folder, "trap.sh"), `#!/bin/sh\ntouch '${folder}/sprung'\ncat\n`);
      chmodSync(join(folder, "trap.sh"), 0o755);
      mkdirSync(join(folder, "x"));
      for (const key of ["filter.evil.clean", "filter.evil.process", "core.fsmonitor"])
        git(repo, "config", key, join(folder, "trap.sh"));
      git(repo, "config", "filter.evil.required", "true");
      write(repo, { a: "b" });
      utimesSync(join(repo, ".gitattributes"), 1, 1);
      assert.equal((await readRepo(repo, [], gitEnv)).dirty, true);
      assert.equal(existsSync(join(folder, "sprung")), false);
    }));
});

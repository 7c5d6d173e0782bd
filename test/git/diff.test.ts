import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { diffAgainst, headCommit, maxDiffBytes } from "../../lib/git/diff.ts";
import { makeWorld } from "../cli/arrange.ts";

test("the diff of a repo against a commit", async (t) => {
  const world = makeWorld(t);
  const repo = world.initRepo({ "a.txt": "one\n", "b.txt": "two\n", "app/c.txt": "three\n", ".gitignore": "*.log\n" });
  const first = world.git("repo", "rev-parse", "HEAD").trim();
  const diff = async (commit: string | null = first, folder = repo, leaveOut: readonly string[] = []) => {
    const scratch = world.path("scratch");
    const made = await diffAgainst(folder, commit, { scratch, leaveOut, env: world.env });
    assert.equal(existsSync(scratch), false);
    return made;
  };
  const text = async (...args: Parameters<typeof diff>) => {
    const made = await diff(...args);
    return made.kind === "diff" ? made.bytes.toString("utf8") : made.why;
  };
  assert.equal(await headCommit(repo, world.env), first);
  assert.equal(await text(), "");

  world.write("repo/a.txt", "changed\n");
  world.write("repo/new/d.txt", "four\n");
  world.write("repo/x.log", "ignored\n");
  rmSync(world.path("repo/b.txt"));
  symlinkSync("/etc/passwd", world.path("repo/link"));
  const status = world.git("repo", "status", "--porcelain");
  const seen = await text();
  assert.deepEqual(seen.match(/^diff .*$/gm), [
    "diff --git a/a.txt b/a.txt",
    "diff --git a/b.txt b/b.txt",
    "diff --git a/link b/link",
    "diff --git a/new/d.txt b/new/d.txt",
  ]);
  assert.match(seen, /-one\n\+changed\n/);
  assert.equal(world.git("repo", "status", "--porcelain"), status);

  await t.test("is the same once it is committed, and for files that git is told to skip", async () => {
    world.git("repo", "add", "--all");
    world.git("repo", "commit", "--quiet", "--message=work");
    world.git("repo", "update-index", "--assume-unchanged", "a.txt");
    world.write("repo/a.txt", "hidden\n");
    assert.match(await text(), /-one\n\+hidden\n/);
    assert.match(await text(null), /-changed\n\+hidden\n/);
  });

  await t.test("falls back to HEAD where the commit is gone", async () => {
    const made = await diff("f".repeat(40));
    assert.equal(made.kind === "diff" ? made.base : null, await headCommit(repo, world.env));
  });

  await t.test("of a folder of the repo names paths from there, and leaves folders out", async () => {
    world.write("repo/app/tasks/T-1/README.md", "a task\n");
    world.write("repo/app/c.txt", "more\n");
    const inside = await text(first, world.path("repo/app"), [world.path("repo/app/tasks/T-1")]);
    assert.deepEqual(inside.match(/^diff .*$/gm), ["diff --git a/c.txt b/c.txt"]);
  });

  await t.test("is cut, and what is too big or no file is named", async () => {
    world.write("repo/big.txt", "x".repeat(maxDiffBytes + 1));
    for (const name of ["e", "f"]) world.write(`repo/${name}.txt`, `${"y".repeat(99)}\n`.repeat(9_000));
    const made = await diff();
    assert.ok(made.kind === "diff" && made.cut && made.bytes.length < maxDiffBytes + 100);
    assert.match(made.bytes.toString("utf8"), /\n# cut here: \d+ of \d+ bytes are shown\n$/);
    rmSync(world.path("repo/f.txt"));
    rmSync(world.path("repo/e.txt"));
    assert.match(await text(), /\n# not shown: big\.txt \(1048577 bytes\)\n$/);
  });

  await t.test("runs no program that the repo's settings name", async () => {
    world.git("repo", "config", "filter.x.clean", "touch ran; cat");
    world.git("repo", "config", "diff.external", "touch ran");
    world.write("repo/.gitattributes", "*.txt filter=x diff=x\n");
    world.git("repo", "config", "diff.x.textconv", "touch ran; cat");
    assert.match(await text(), /\+hidden\n/);
    assert.equal(existsSync(world.path("repo/ran")), false);
  });
});

test("without git there is no diff, and before the first commit all is new", async (t) => {
  const world = makeWorld(t);
  mkdirSync(world.path("plain"));
  const options = { scratch: world.path("scratch"), leaveOut: [], env: world.env };
  assert.deepEqual(await diffAgainst(world.path("plain"), null, options), {
    kind: "none",
    why: "the repo is in no git repository",
  });
  assert.equal(await headCommit(world.path("plain"), world.env), null);
  world.git("plain", "init", "--quiet");
  world.write("plain/a.txt", "one\n");
  assert.equal(await headCommit(world.path("plain"), world.env), null);
  const made = await diffAgainst(world.path("plain"), null, options);
  assert.ok(made.kind === "diff" && made.base === null);
  assert.match(made.bytes.toString("utf8"), /new file mode 100644[\s\S]*\+one\n/);
});

test("a repository that git cannot read has no diff, and the reason is given", async (t) => {
  const world = makeWorld(t);
  const repo = world.initRepo({ "a.txt": "one\n" });
  writeFileSync(world.path("repo/.git/config"), "[broken\n");
  const made = await diffAgainst(repo, null, { scratch: world.path("scratch"), leaveOut: [], env: world.env });
  assert.ok(made.kind === "none");
  assert.match(made.why, /^git \S+ failed in the repository at /);
  assert.equal(await headCommit(repo, world.env), null);
});

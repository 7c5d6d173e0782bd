import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { switchBranch } from "../../lib/git/branch.ts";
import { commitPaths } from "../../lib/git/commit.ts";
import { isPartial, listChanges, listCommits, readCommits } from "../../lib/git/commits.ts";
import { diffAgainst, headCommit } from "../../lib/git/diff.ts";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import { readRepo } from "../../lib/git/list-paths.ts";
import { listPassCommits } from "../../lib/git/log.ts";
import { openObjects, sizesOf } from "../../lib/git/objects.ts";
import { makePatches } from "../../lib/git/patch.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { pushBranch, pushUrl } from "../../lib/git/push.ts";
import { askRemote, findPushedCopies } from "../../lib/git/remote.ts";
import { findCommit, findCommits, listSince, listTreeFiles } from "../../lib/git/revision.ts";
import { readRefs } from "../../lib/git/task-branches.ts";
import { captureTree } from "../../lib/git/tree.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, write } from "./git-repo.ts";
import { commitRequest } from "./git-world.ts";
import { makeTrappedRepo, type TrappedRepo } from "./trapped-repo.ts";

/** All that the runner ever asks of git, in a test that fails if it asks more. */
const subcommands = [
  "cat-file",
  "check-attr",
  "check-ignore",
  "check-ref-format",
  "commit-tree",
  "config",
  "diff-index",
  "diff-tree",
  "fetch",
  "for-each-ref",
  "hash-object",
  "log",
  "ls-files",
  "ls-tree",
  "merge-base",
  "merge-tree",
  "push",
  "read-tree",
  "rev-list",
  "rev-parse",
  "status",
  "symbolic-ref",
  "update-index",
  "update-ref",
  "write-tree",
];

/** A git first on the PATH that notes what it is asked, then does it. */
function watchGit(folder: string): { env: NodeJS.ProcessEnv; asked: () => string[] } {
  const bin = join(folder, "bin");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  mkdirSync(bin);
  // The words before the subcommand are options, of which -c takes one more word.
  const script = `#!/bin/sh
skip=
for word; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case $word in -c) skip=1 ;; -*) ;; *) echo "$word" >> '${folder}/asked'; break ;; esac
done
exec '${real}' "$@"
`;
  writeFileSync(join(bin, "git"), script);
  chmodSync(join(bin, "git"), 0o755);
  return {
    env: { ...gitEnv, PATH: `${bin}:${gitEnv.PATH}` },
    asked: () => [...new Set(readFileSync(join(folder, "asked"), "utf8").trim().split("\n"))].sort(),
  };
}

/** Everything that a pass, a check or a page ever does with git. */
async function doEverything(world: TrappedRepo, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { repo, scratch } = world;
  const place = findGitPlace(repo) ?? assert.fail();
  await takeFingerprint(repo, [], env);
  const url = await pushUrl(repo, env);
  const since = await headCommit(repo, env);
  const captured = (await captureTree(repo, join(folder, "tree"), [], env)) ?? assert.fail();
  const changed = { "a.1": "2\n", "b.1": "2\n", "c.1": "2\n", "d.1": "2\n", "e.1": "2\n", other: "2\n" };
  write(repo, changed);
  const paths = Object.keys(changed);
  const patches = await makePatches(captured, { changedPaths: paths, since: { commit: since ?? "", paths } }, env);
  assert.equal(patches.pass?.toString().match(/^\+2$/gm)?.length, 6);
  assert.equal(patches.task?.toString().match(/^\+2$/gm)?.length, 6);
  const diff = await diffAgainst(repo, since, { scratch: join(folder, "diff"), leaveOut: [], env });
  assert.equal(diff.kind === "diff" && diff.bytes.toString().match(/^\+2$/gm)?.length, 6);
  const { entries } = await takeFingerprint(repo, [], env);
  const checked = { entries, leaveOut: [], since, changed: ["other"], left: [] };
  const committed = await commitPaths({ ...commitRequest(repo, scratch, ["d.1", "e.1", "other"]), checked, env });
  assert.deepEqual(committed.findings, []);
  assert.match(committed.sha ?? "", /^[0-9a-f]{40}$/);
  const view = await askRemote(repo, [], env);
  assert.deepEqual([view?.branch, view?.dirty, view?.pushed], ["main", true, false]);
  assert.equal((await readRepo(repo, [], env)).dirty, true);
  assert.equal((await listPassCommits(repo, "T-1", 5, env)).length, 1);
  await findPushedCopies([join(repo, "other")], env);
  await readHistory(repo, env);
  // Another clone was faster, so that the commit is put on top of its own.
  git(folder, "clone", "-q", world.remote, join(folder, "clone"));
  write(join(folder, "clone"), { theirs: "1\n", gone: "changed\n" });
  git(join(folder, "clone"), "add", "-A");
  git(join(folder, "clone"), "commit", "-q", "-m", "theirs");
  git(join(folder, "clone"), "push", "-q");
  const pushed = await pushBranch({
    repo,
    scratch,
    expected: { url, file: "x" },
    unwelcome: () => [],
    fence: null,
    env,
    signal: null,
  });
  assert.deepEqual([pushed.pushed, pushed.findings], [true, []]);
  git(world.remote, "branch", "arrives");
  await isPartial(place, env);
  git(repo, "-c", "core.hooksPath=/dev/null", "update-ref", "refs/remotes/origin/arrives", "refs/remotes/origin/main");
  for (const branch of ["made", "arrives"]) {
    const reset = { "a.1": "1\n", "b.1": "1\n", "c.1": "1\n" };
    write(repo, reset);
    await switchBranch(repo, branch, [repo], env);
  }
}

async function readHistory(repo: string, env: NodeJS.ProcessEnv): Promise<void> {
  const place = findGitPlace(repo) ?? assert.fail();
  const commits = await listCommits(place, env);
  assert.equal(commits.length, 3);
  await listChanges(place, commits, ["."], env);
  const shas = commits.map(({ sha }) => sha);
  await readCommits(place, shas, env);
  const refs = await readRefs(place, env);
  assert.equal((await listTreeFiles(place, shas[0] ?? "", "", env)).length > 0, true);
  const named = [...refs.objects.values()];
  assert.deepEqual(await findCommits(place, named, env), new Map(named.map((name) => [name, name])));
  const head = (await findCommit(place, "HEAD", env)) ?? assert.fail();
  await listSince(place, [head], shas[0] ?? "", env);
  const blob = (await findCommit(place, "HEAD:gone", env)) ?? head;
  const objects = await openObjects(place, env);
  try {
    await objects.read(blob, 1000);
    await sizesOf(place, [blob], env);
  } finally {
    objects.close();
  }
}

describe("the runner's git", () => {
  it("runs no program that a repository names in any place, and leaves no process behind", () =>
    withFolder(async (folder) => {
      const world = makeTrappedRepo(folder);
      const { env, asked } = watchGit(folder);
      await doEverything(world, folder, env);
      assert.deepEqual([world.sprung(), world.alive()], [[], []]);
      assert.deepEqual(asked(), subcommands);
      assert.equal(git(world.remote, "cat-file", "-p", "main:other"), "2\n");
    }));

  it("fetches no object that a promisor of the repository would give, and does not wait for one", () =>
    withFolder(async (folder) => {
      const world = makeTrappedRepo(folder);
      const { repo, scratch } = world;
      const place = findGitPlace(repo) ?? assert.fail();
      world.loseObject();
      write(repo, { gone: "2\n" });
      const name = git(repo, "-c", "core.hooksPath=/dev/null", "rev-parse", "HEAD:gone").trim();
      const objects = await openObjects(place, gitEnv);
      assert.deepEqual(await objects.read(name, 1000), { kind: "missing" });
      objects.close();
      assert.deepEqual(await sizesOf(place, [name], gitEnv), new Map());
      const diff = await diffAgainst(repo, null, { scratch: join(folder, "diff"), leaveOut: [], env: gitEnv });
      assert.equal(diff.kind, "none");
      await takeFingerprint(repo, [], gitEnv);
      await askRemote(repo, [], gitEnv);
      assert.ok((await commitPaths(commitRequest(repo, scratch, ["gone"]))).sha !== null);
      await assert.rejects(switchBranch(repo, "other", [repo], gitEnv), /gone|unable to read/);
      assert.deepEqual([world.sprung(), world.alive()], [[], []]);
    }));

  it("would run them all, were it a person's", () =>
    withFolder((folder) => {
      const world = makeTrappedRepo(folder);
      write(world.repo, { "a.1": "2\n", "b.1": "2\n", "c.1": "2\n" });
      world.loseObject();
      for (const words of ["add b.1", "add c.1", "add a.1", "update-ref refs/heads/x HEAD", "cat-file -p HEAD:gone"]) {
        spawnSync("git", words.split(" "), { cwd: world.repo, env: gitEnv, timeout: 10_000 });
      }
      const names = ["config filter", "worktree filter", "included filter", "core.fsmonitor", "reference-transaction"];
      const said = world.sprung().join("\n");
      assert.deepEqual(
        names.filter((name) => !said.includes(name)),
        [],
        said,
      );
      assert.match(said, /promisor/);
    }));
});

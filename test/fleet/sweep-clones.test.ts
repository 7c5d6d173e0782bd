import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { claimPlace } from "../../lib/fleet/claim-place.ts";
import { sweepClones } from "../../lib/fleet/sweep-clones.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { git, gitEnv, makeRepo } from "../git/git-repo.ts";
import { withFolder } from "../store/temporary-folder.ts";

test("what a clean-up took of a branch, after a call was killed that had just moved it, is given back", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "my repo");
    makeRepo(repo, { "tasks/T-1/STATE.md": "# T-1\n" });
    const commit = git(repo, "rev-parse", "HEAD").trim();
    const env = { ...gitEnv, HOME: folder, XDG_CACHE_HOME: join(folder, "cache") };
    const { clone, objects } = claimPlace(join(folder, "cache", "task-phase"), join(repo, ".git"), "T-1");
    const taken = join(repo, ".git", "objects", commit.slice(0, 2));
    mkdirSync(clone, { recursive: true });
    mkdirSync(dirname(objects), { recursive: true });
    cpSync(taken, join(objects, commit.slice(0, 2)), { recursive: true });
    rmSync(taken, { recursive: true });
    await sweepClones(join(repo, "tasks"), null, {
      ...{ env, home: folder, cwd: repo, now: () => new Date(), redactor: createRedactor(env) },
      ...{ signal: new AbortController().signal, tell: () => {} },
    });
    assert.equal(git(repo, "log", "--format=%H").trim(), commit);
    git(repo, "fsck", "--full", "--strict");
  }));

test("what a `git prune` took once a call was over is given back for a day, of a merge that landed too", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { "tasks/T-1/STATE.md": "# T-1\n" });
    const env = { ...gitEnv, HOME: folder, XDG_CACHE_HOME: join(folder, "cache") };
    const { objects, landed } = claimPlace(join(folder, "cache", "task-phase"), join(repo, ".git"), "T-1");
    const store = join(repo, ".git", "objects");
    for (const kept of [objects, landed]) {
      const sweep = async (now: Date) =>
        await sweepClones(join(repo, "tasks"), null, {
          ...{ env, home: folder, cwd: repo, now: () => now, redactor: createRedactor(env) },
          ...{ signal: new AbortController().signal, tell: () => {} },
        });
      cpSync(store, kept, { recursive: true });
      rmSync(store, { recursive: true });
      mkdirSync(store);
      await sweep(new Date());
      git(repo, "fsck", "--full", "--strict");
      assert.equal(existsSync(kept), true);
      await sweep(new Date(Date.now() + 2 * 86_400_000));
      assert.equal(existsSync(kept), false);
    }
  }));

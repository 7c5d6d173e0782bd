import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findGitPlace } from "../../lib/git/place.ts";
import { runGit, twiceIfGitFails } from "../../lib/git/run-git.ts";
import { diskError } from "../../lib/text/errors.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo } from "./git-repo.ts";

describe("looking at a repository", () => {
  const broken = diskError("TP_GIT", "not now");
  /** Fails this many times, then gives the number of its calls. */
  const failing = (times: number, error: Error = broken) => {
    let calls = 0;
    return async () => {
      calls += 1;
      if (calls <= times) throw error;
      return calls;
    };
  };

  it("is tried once more if git fails, and no third time", async () => {
    assert.deepEqual(await twiceIfGitFails(failing(0)), { kind: "done", value: 1 });
    assert.deepEqual(await twiceIfGitFails(failing(1)), { kind: "done", value: 2 });
    assert.deepEqual(await twiceIfGitFails(failing(2)), { kind: "unreadable", error: broken });
  });

  it("passes any other error on at once", async () => {
    for (const error of [diskError("TP_DISK", "full"), new Error("a defect")])
      await assert.rejects(twiceIfGitFails(failing(1, error)), error);
  });
});

describe("a call of git", () => {
  it("that a full disk ends names the folder that it wrote to", (t) =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1" });
      const place = findGitPlace(folder) ?? assert.fail();
      const objects = join(folder, "small");
      mkdirSync(objects);
      if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", objects]).status !== 0)
        return t.skip("a small file system can be mounted by root only");
      try {
        const options = { env: gitEnv, variables: { GIT_OBJECT_DIRECTORY: objects }, input: randomBytes(200_000) };
        await assert.rejects(runGit(place, ["hash-object", "-w", "--stdin"], options), {
          message: `cannot run git hash-object in ${objects}: the disk is full (ENOSPC)`,
        });
      } finally {
        spawnSync("umount", [objects]);
      }
    }));

  it("that only a newer git knows says which one to install", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1" });
      const place = findGitPlace(folder) ?? assert.fail();
      await assert.rejects(runGit(place, ["merge-tree", "--not-yet-there"], { env: gitEnv }), {
        exitName: "config",
        message: "this git is older than 2.38, and cannot merge two branches without a working tree",
      });
    }));

  it("takes the exit codes that the caller accepts, and throws for any other", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1" });
      const place = findGitPlace(folder) ?? assert.fail();
      const words = ["rev-parse", "--quiet", "--verify", "none"];
      assert.deepEqual(await runGit(place, words, { env: gitEnv, accept: [0, 1] }), {
        exitCode: 1,
        stdout: Buffer.alloc(0),
      });
      await assert.rejects(runGit(place, words, { env: gitEnv }), {
        message: `git rev-parse failed in the repository at ${folder}: it ended with 1`,
      });
    }));

  it("has the caller's folder, input, settings and variables, and no GIT_ variable of the environment", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { "in/a": "1" });
      const place = findGitPlace(folder) ?? assert.fail();
      const env = { ...gitEnv, GIT_DIR: "/nonexistent", GIT_AUTHOR_NAME: "evil" };
      const ask = async (words: string[], options: object) =>
        (await runGit(place, words, { env, ...options })).stdout.toString("utf8").trim();
      assert.equal(await ask(["rev-parse", "--show-prefix"], { cwd: join(folder, "in") }), "in/");
      assert.equal(
        await ask(["hash-object", "--stdin"], { input: Buffer.from("hello\n") }),
        "ce013625030ba8dba906f756967f9e9ca394464a",
      );
      assert.equal(await ask(["config", "core.odd"], { extra: ["core.odd=x y"] }), "x y");
      assert.equal(await ask(["config", "core.fsync"], { durable: true }), "committed,reference,index");
      const variables = { GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "a@x" };
      assert.match(await ask(["var", "GIT_AUTHOR_IDENT"], { variables }), /^Ann <a@x> /);
    }));

  it("that writes a ref keeps its log in the repository", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1" });
      git(folder, "config", "core.logAllRefUpdates", "false");
      const place = findGitPlace(folder) ?? assert.fail();
      const logs = join(folder, ".git/logs");
      rmSync(logs, { recursive: true, force: true });
      await runGit(place, ["rev-parse", "HEAD"], { env: gitEnv });
      assert.equal(existsSync(logs), false);
      await runGit(place, ["update-ref", "--create-reflog", "refs/heads/x", "HEAD"], { env: gitEnv });
      assert.equal(existsSync(join(logs, "refs/heads/x")), true);
    }));
});

import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { makeBranchWorld } from "../cli/branch-world.ts";
import { makeFleet } from "../fleet/fleet-world.ts";

/** In the place of git: sends the runner a TERM when it is called with these words, and then takes its time. */
const stopping = (words: string, real: string) => `#!/bin/sh
case "$*" in *"${words}"*) kill -TERM "$PPID"; exec sleep 30 ;; esac
exec "${real}" "$@"
`;

describe("a claimed pass that a person ends before it is claimed", { concurrency: 2 }, () => {
  for (const words of ["init -q", "checkout -q --no-track"]) {
    test(`in git ${words}: the signal's own exit code, nothing is begun, and the next call goes on`, async (t) => {
      const fleet = makeFleet(t);
      const real = path.join(fleet.git(".", "--exec-path").trim(), "git");
      const git = fleet.write("bin/git", stopping(words, real));
      chmodSync(git, 0o755);
      const one = fleet.machine("one");
      const stopped = await one.claim("T-1", [], { env: { PATH: `${path.dirname(git)}:${process.env.PATH}` } });
      assert.equal(stopped.code, 143, stopped.stderr);
      assert.equal(fleet.inRemote("for-each-ref", "refs/heads/task-phase/"), "");
      assert.equal((await one.pass("T-1")).verdict, "accepted");
    });
  }
});

describe("a call about one's own repository that a person ends while git works", { concurrency: 2 }, () => {
  const begin = (t: TestContext) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    const real = path.join(world.git("repo", "--exec-path").trim(), "git");
    const stopIn = async (git: string, ...args: readonly string[]) => {
      const folder = path.dirname(world.write("bin/git", git));
      chmodSync(path.join(folder, "git"), 0o755);
      const env = { PATH: `${folder}:${process.env.PATH}` };
      return await world.run("task-phase", args, { cwd: "repo", env });
    };
    return { world, real, stopIn };
  };

  for (const args of [
    ["run", "T-1"],
    ["loop", "--jobs", "2"],
  ]) {
    test(`${args.join(" ")}: the signal's own exit code, and no word of a broken disk`, async (t) => {
      const { world, real, stopIn } = begin(t);
      const stopped = await stopIn(stopping("checkout -q --no-track", real), ...args);
      assert.equal(stopped.code, 143, stopped.stderr);
      assert.doesNotMatch(stopped.stderr, /could not be made/);
      await world.ends(0, "loop");
    });
  }

  test("land: what git checks out for a person is whole, whatever comes", async (t) => {
    const { world, real, stopIn } = begin(t);
    await world.ends(0, "loop");
    world.git("repo", "add", "tasks");
    world.git("repo", "commit", "-qm", "tasks");
    const merging = `case "$*" in *"merge --ff-only"*) kill -TERM "$PPID"; sleep 0.3 ;; esac`;
    const { stderr } = await stopIn(`#!/bin/sh\n${merging}\nexec "${real}" "$@"\n`, "land", "T-1");
    assert.match(stderr, /SIGTERM: stopping cleanly/);
    assert.match(world.git("repo", "log", "-1", "--format=%s"), /land T-1/, stderr);
    assert.equal(world.git("repo", "status", "--porcelain"), "");
    assert.equal(world.read("repo/T-1.txt"), "work of T-1\n");
  });
});

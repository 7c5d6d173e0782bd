import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findTrailer, goesBack, listPassCommits } from "../../lib/git/log.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";
import { makeGitWorld } from "./git-world.ts";

describe("the commits of a task", () => {
  it("are found by their trailers, newest first", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1" });
      assert.deepEqual(await listPassCommits(world.repo, "T-1", 10, gitEnv), []);
      const shas: (string | null)[] = [];
      for (const pass of [1, 2, 3]) {
        write(world.repo, { a: `pass ${pass}` });
        shas.unshift(await world.commit(["a"], pass));
      }
      git(world.repo, "commit", "-q", "--allow-empty", "-m", "x\n\nTask-Phase-Task: T-2\nTask-Phase-Pass: 1");
      git(world.repo, "commit", "-q", "--allow-empty", "-m", "x\n\nTask-Phase-Task: T-1\nTask-Phase-Pass: one");
      const found = await listPassCommits(world.repo, "T-1", 2, gitEnv);
      assert.deepEqual(found, [
        { sha: shas[0], pass: 3, verdict: "" },
        { sha: shas[1], pass: 2, verdict: "" },
      ]);
      assert.deepEqual(await listPassCommits(world.scratch, "T-1", 2, gitEnv), []);
    }));
});

describe("a trailer of a task", () => {
  it("is that of the newest commit that has it, or of one commit alone", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1" });
      const commit = (...trailers: string[]) => {
        git(folder, "commit", "-q", "--allow-empty", "-m", ["x", trailers.join("\n")].join("\n\n"));
        return git(folder, "rev-parse", "HEAD").trim();
      };
      const [task, other] = ["Task-Phase-Task: T-1", "Task-Phase-Task: T-2"];
      const old = commit(task, "Seal: old");
      const late = commit(task, "Seal: new");
      const tip = commit(other, "Seal: other");
      const place = findGitPlace(folder) ?? assert.fail();
      const find = (at: string, alone = false) =>
        findTrailer(place, { commit: at, task: "T-1", name: "Seal", alone }, gitEnv);
      assert.deepEqual([await find(tip), await find(old), await find(`${old}^`)], ["new", "old", null]);
      assert.deepEqual([await find(tip, true), await find(late, true)], [null, "new"]);
      assert.deepEqual(
        [await goesBack(place, tip, old, gitEnv), await goesBack(place, old, tip, gitEnv)],
        [true, false],
      );
      await assert.rejects(goesBack(place, tip, "1".repeat(40), gitEnv), /git merge-base failed/);
    }));
});

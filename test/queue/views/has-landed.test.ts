import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { findGitPlace, type GitPlace } from "../../../lib/git/place.ts";
import { hasLanded } from "../../../lib/queue/views/has-landed.ts";
import { git, gitEnv, makeRepo } from "../../git/git-repo.ts";
import { withFolder } from "../../store/temporary-folder.ts";

const path = "tasks/T-1";
const journal = `${path}/artifacts/journal.jsonl`;

/** A repository whose branch `work` has a task with two events and a file `code`; HEAD is on `main`, without them. */
function makeWork(repo: string) {
  makeRepo(repo, { "a.txt": "one\n" });
  const call = (...args: string[]) => git(repo, ...args).trim();
  const commit = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(repo, name)), { recursive: true });
      writeFileSync(join(repo, name), text);
    }
    call("add", "--all");
    call("commit", "-q", "-m", "step");
  };
  call("switch", "-q", "-c", "work");
  commit({ [journal]: "1\n", code: "half\n" });
  commit({ [journal]: "1\n2\n", code: "whole\n" });
  call("switch", "-q", "main");
  const isIn = async () => {
    const place = findGitPlace(repo) as GitPlace;
    return await hasLanded(place, { commit: call("rev-parse", "work"), path }, call("rev-parse", "main"), gitEnv);
  };
  const squash = () => {
    call("merge", "-q", "--squash", "work");
    call("commit", "-q", "-m", "squashed");
  };
  return { call, commit, isIn, squash };
}

describe("a branch has landed in a commit", () => {
  test("that goes back to it, or that has its journal with some of its work, whatever came after", () =>
    withFolder(async (folder) => {
      const { call, commit, isIn, squash } = makeWork(join(folder, "repo"));
      assert.equal(await isIn(), false);
      squash();
      assert.equal(await isIn(), true);
      commit({ code: "went on\n", [journal]: "1\n2\n3\n" });
      assert.equal(await isIn(), true);
      call("merge", "-q", "-s", "ours", "work");
      assert.equal(await isIn(), true);
    }));

  test("and not where the journal came without the work, or the branch went on", () =>
    withFolder(async (folder) => {
      const { call, commit, isIn, squash } = makeWork(join(folder, "repo"));
      call("checkout", "-q", "work", "--", path);
      call("commit", "-q", "-m", "the folder alone");
      assert.equal(await isIn(), false);
      call("reset", "-q", "--hard", "HEAD~1");
      squash();
      call("switch", "-q", "work");
      commit({ code: "a person's\n" });
      call("switch", "-q", "main");
      assert.equal(await isIn(), false);
    }));
});

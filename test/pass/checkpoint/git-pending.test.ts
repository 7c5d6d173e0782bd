import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findGitPlace } from "../../../lib/git/place.ts";
import { commitMessage } from "../../../lib/pass/checkpoint/commit-message.ts";
import { changedSince, sortCode, unwelcomeCode } from "../../../lib/pass/checkpoint/git-pending.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import type { VerdictEvent } from "../../../lib/rules/verdict-event.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { git, gitEnv, makeRepo, write } from "../../git/git-repo.ts";
import { makeFolder } from "../../process/arrange.ts";
import { passStarted, verdictEvent } from "../../rules/arrange.ts";

function verdict(
  pass: number,
  changed: readonly string[],
  word: VerdictEvent["verdict"] = "rejected",
  to: Phase = "implement",
) {
  const changed_paths = changed.map((path) => ({ path, change: "changed" as const }));
  return verdictEvent("implement", to, { state: "", contract: "" }, { pass, verdict: word, changed_paths });
}

test("the changes since the first pass are those of all verdicts and of this pass, each once", () => {
  const place = placeOf("/nonexistent/tasks/T-1");
  const events = [passStarted(1, { head_commit: "c1" }), verdict(1, ["b", "a"]), passStarted(2), verdict(2, ["a"])];
  assert.deepEqual(changedSince(place, events, ["c", "b"]), { commit: "c1", paths: ["a", "b", "c"] });
  assert.equal(changedSince(place, [passStarted(1, { head_commit: null }), verdict(1, ["a"])], ["b"]), null);
  assert.equal(changedSince(place, [], ["b"]), null);
});

test("a commit takes the code since the last commit that took some, and a rejected pass leaves all of it", async (t) => {
  const repo = join(makeFolder(t), "repo");
  makeRepo(repo, { "a.txt": "1\n" });
  const place = placeOf(join(repo, "tasks/T-1"));
  const commit = (pass: number, word: VerdictEvent["verdict"]) =>
    git(repo, "commit", "-q", "--allow-empty", "-m", commitMessage("T-1", verdict(pass, [], word)));
  const earlier = [verdict(1, ["one"]), verdict(2, ["two"]), verdict(3, ["three"])];
  const sort = async (word: VerdictEvent["verdict"], task = "T-1") =>
    await sortCode({ place, repo, task, event: verdict(4, [], word), changedPaths: ["four"], earlier }, gitEnv);
  const all = ["one", "two", "three", "four"];
  assert.deepEqual(await sort("accepted"), { taken: all, left: [] });
  assert.deepEqual(await sort("rejected"), { taken: [], left: all });
  commit(1, "accepted");
  commit(2, "rejected");
  assert.deepEqual(await sort("redirected"), { taken: ["two", "three", "four"], left: [] });
  commit(2, "redirected");
  assert.deepEqual(await sort("accepted"), { taken: ["three", "four"], left: [] });
  assert.deepEqual((await sort("accepted", "T-2")).taken, all);
});

test("in review and done only task folders may come in, and in other phases anything", (t) => {
  const repo = join(makeFolder(t), "repo");
  makeRepo(repo, { "a.txt": "1\n" });
  write(repo, { "tasks/T-1/STATE.md": "x" });
  mkdirSync(join(repo, "tasks/T-2"));
  const place = placeOf(join(repo, "tasks/T-1"));
  const at = findGitPlace(repo) ?? assert.fail("no repository");
  const paths = [
    "src/a.ts",
    "tasks/T-1/TASKS.md",
    "tasks/T-9/STATE.md",
    "tasks/T-9/notes.md",
    "tasks/T-8/notes.md",
    "tasks/.x/STATE.md",
  ];
  const unwelcome = (to: Phase) =>
    unwelcomeCode(
      { place, repo, task: "T-1", event: verdict(1, [], "accepted", to), changedPaths: [], earlier: [] },
      at,
    )(paths);
  assert.deepEqual(unwelcome("implement"), []);
  for (const to of ["review", "done"] as const)
    assert.deepEqual(unwelcome(to), ["src/a.ts", "tasks/T-8/notes.md", "tasks/.x/STATE.md"], to);
});

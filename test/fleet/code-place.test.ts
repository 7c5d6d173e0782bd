import assert from "node:assert/strict";
import { test } from "node:test";
import { placeTrees } from "../../lib/fleet/code-place.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";

/** Tasks in `tasks/` of the repository at /work/T-1; where the code goes, or the words of the error. */
function place(repo: string | null, code: string | null, taskDir = "/work/T-1/tasks/T-1"): unknown {
  try {
    return placeTrees("/pairs/T-1", { top: "/work/T-1", taskDir, repo, code, readme: "README.md" });
  } catch (error) {
    assert(error instanceof TaskPhaseError);
    assert.deepEqual([error.exitName, error.findings[0]?.code], ["config", "TP_CODE_PLACE"]);
    return error.message;
  }
}

const url = "git@host:app.git";

test("without fleet.code, the code of a task is where its tasks are", () => {
  assert.equal(place(null, null), null);
  assert.equal(place("../..", null), null);
  assert.equal(place("../../packages/..data", null), null);
});

test("with it, both trees are in the task's own folder, and repo leads from the one to the other", () => {
  assert.deepEqual(place("../../../app", url), { tasks: "/pairs/T-1/tasks.clone", code: "/pairs/T-1/app" });
  assert.deepEqual(place("../../app", url, "/work/T-1/T-1"), {
    tasks: "/pairs/T-1/tasks.clone",
    code: "/pairs/T-1/app",
  });
  assert.deepEqual(place("../../../../src/team/app/", url), {
    tasks: "/pairs/T-1/above.clone/tasks.clone",
    code: "/pairs/T-1/src/team/app",
  });
});

test("nothing but a folder beside the tasks' repository is the code's", () => {
  const beside = /^repo: .* names no folder beside the repository of the tasks$/;
  const inside = /^fleet\.code names a repository for the code, but `repo` in the brief does not lead to it$/;
  const taken = /^repo: .* has the same name as the clone of the tasks$/;
  const cases: readonly (readonly [string | null, string | null, RegExp])[] = [
    ["/home/me/app", url, /^repo: \/home\/me\/app is an absolute path/],
    ["/home/me/app", null, /^repo: \/home\/me\/app is an absolute path/],
    ["../../../app", null, /^repo: .* leads out of the repository of the tasks/],
    ["../../../../../../../../home/me/.ssh", null, /leads out of the repository of the tasks/],
    [null, url, inside],
    ["../..", url, inside],
    ["../../..", url, beside],
    ["../../../../..", url, beside],
    [`${"../".repeat(12)}app`, url, beside],
    ["../../../tasks.clone", url, taken],
    ["../../../tasks.clone/app", url, taken],
    ["../../../../above.clone", url, taken],
  ];
  for (const [repo, code, words] of cases) assert.match(String(place(repo, code)), words, `${repo} ${code}`);
});

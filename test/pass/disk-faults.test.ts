import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTaskWorld } from "../cli/task-world.ts";
import { countCalls, type DiskCalls, judgeFault } from "./disk-faults.ts";

/** Which of the calls that match fails; from the end if the number is negative. */
const points: readonly (readonly [string, DiskCalls, string, RegExp, number])[] = [
  ["the look at the code after the model", "changes", "ENOSPC", /^mkdtemp task-phase-git-/, 1],
  // Each look at the code has git in a folder of its own, with empty refs.
  ["the look at the code after the checks", "changes", "EDQUOT", /^mkdir task-phase-git-\S+\/refs$/, 2],
  ["the last look at the code", "changes", "EDQUOT", /^mkdir task-phase-git-\S+\/refs$/, -1],
  ["the clean copy", "changes", "ENOSPC", /^open \S+proof\/kept\/tree\/\S+\/new\.txt$/, 1],
  ["the log of a check", "changes", "EROFS", /^write \S+staging\/validators\/tests\.log$/, 1],
  ["the end of the staging", "changes", "EIO", /^rm \S+\/staging$/, 1],
  ["git's folder, as it is removed", "changes", "EIO", /^rm task-phase-git-/, 1],
  ["the agent's proof", "looks", "EMFILE", /^readdir \S+\/T-1\/artifacts$/, 2],
];

for (const [what, which, code, call, n] of points) {
  test(`a disk that fails once (${code}) at ${what} makes no verdict, and the next run accepts`, async (t) => {
    const world = makeTaskWorld(t);
    const nth = n > 0 ? n : (await countCalls(world, which, call)) + 1 + n;
    assert.deepEqual(await judgeFault(world, { which, code, nth, call }), []);
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { findLostPass, supersededBy } from "../../../lib/pass/checkpoint/find-lost-pass.ts";
import { holdTask } from "../verdict/arrange.ts";

test("a pass that came second names where its work is kept and what the next run does", () => {
  const refusal = (isKeptThere: boolean, inTheWay: string | null) => {
    const lost = { ref: "refs/task-phase/lost/T-1", isKeptThere, inTheWay } as Parameters<typeof supersededBy>[0];
    const { exitName, findings } = supersededBy(lost, "T-1", 3);
    return [exitName, ...findings.map(({ code, message, fix }) => `${code}: ${message}; ${fix}`)];
  };
  const message = "TP_SUPERSEDED: pass 3 of T-1 does not count: another machine pushed a pass of it first";
  const kept = "the work is kept as refs/task-phase/lost/T-1";
  assert.deepEqual(refusal(true, null), [
    "locked",
    `${message}; nothing to do: the next run continues from theirs, and ${kept}`,
  ]);
  assert.deepEqual(refusal(false, "a.txt is changed"), [
    "locked",
    `${message}; the branch could not be moved to theirs: a.txt is changed. Correct that, and the next run moves it; ${kept}, in this clone only`,
  ]);
});

test("nothing is lost without git or before the first pass", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  const { place, anchor, ports } = session;
  const find = (pass: number) =>
    findLostPass({ place, anchor, task: "T-1", pass, repo: `${task.folder}/repo`, sign: "none" }, ports);
  assert.deepEqual([await find(0), await find(3)], [null, null]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTaskWorld } from "./task-world.ts";
import { arrange, propose } from "./transition-case.ts";

const defect = "the total is wrong for negative numbers (add.mjs:1)";

test("a defect that a pass lists is shown to the person and holds back review until it is ticked", async (t) => {
  const world = makeTaskWorld(t);
  const task = await arrange(world, "defect", "implement");
  task.propose(propose("implement", "verify", { findings: [defect] }));
  assert.equal((await task.pass()).exit_code, 0);
  assert.match(
    task.read("EVIDENCE.md"),
    /\*\*\[Open finding\]\(STATE\.md\)\*\*: the total is wrong for negative numbers/,
  );
  assert.match(task.read("artifacts/evidence.html"), /Open finding[\s\S]*the total is wrong for negative numbers/);

  task.propose(propose("verify", "review", { findings: [defect] }));
  const held = await task.pass();
  assert.deepEqual([held.exit_code, held.verdict, held.to], [20, "rejected", "verify"]);
  assert.match(held.reason, /^of the items under Findings 1 is open: the total is wrong/);

  task.propose(propose("verify", "review", { findings: [`[x] ${defect}: fixed, seen with -1`] }));
  assert.equal((await task.pass()).to, "review");
  assert.doesNotMatch(task.read("EVIDENCE.md"), /Open finding/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLoopWorld } from "../cli/loop-world.ts";
import { makeReviewWorld, proposes, report, wrongVerdicts } from "../cli/review-world.ts";
import { fieldOf } from "../cli/task-states.ts";
import { makeCases } from "../cli/task-world.ts";

test("the default budgets hold five repairs, and the sixth is blocked with DEFERRED.md", async (t) => {
  const failures = ["TypeError", "RangeError", "SyntaxError", "EvalError", "URIError"].map((name) => `fails ${name}`);
  const rounds = failures.flatMap((fails) => [fails, "honest"]);
  const opening = ["honest", "honest", "honest"];
  const world = await makeLoopWorld(t, {
    "T-1": { plan: [...opening, ...rounds] },
    "T-2": { plan: [...opening, ...rounds, "fails ReferenceError"] },
  });
  const [mended, given] = [await loopOn("T-1"), await loopOn("T-2")];
  assert.deepEqual([mended.exit_code, mended.passes.length, world.phase("T-1")], [0, 15, "done"]);
  assert.deepEqual([given.exit_code, given.passes.length, world.phase("T-2")], [21, 14, "blocked"]);
  const repairs = (passes: typeof given.passes) => passes.filter(({ from }) => from === "repair").length;
  assert.deepEqual([repairs(mended.passes), repairs(given.passes)], [5, 5]);
  assert.deepEqual(
    ["T-1", "T-2"].map((task) => world.exists(`tasks/${task}/DEFERRED.md`)),
    [false, true],
  );
  assert.match(world.read("tasks/T-2/DEFERRED.md"), /ReferenceError/);

  function loopOn(task: string) {
    return world.loop("--task-dir", world.path(`tasks/${task}`));
  }
});

test("reviews, repairs and verifications in rounds", { concurrency: 2 }, async (t) => {
  const world = makeReviewWorld(t);
  const { cases, it } = makeCases(t);

  it("a blocking finding that returns in three reviews is stuck, despite accepted repairs in between", async (folder) => {
    const task = await world.reviewed(folder, "review", ["security"]);
    task.says("security", report("[blocking] add is bad (sum.js:1)"));
    const ends: unknown[] = [];
    for (const round of [1, 2, 3]) {
      task.propose(proposes("done"));
      const { exit_code, verdict, to } = await task.pass();
      ends.push([exit_code, verdict, to]);
      if (round === 3) break;
      task.propose({ ...proposes("verify"), repo: { "good.txt": `mended ${round}\n` } });
      assert.equal((await task.pass()).to, "verify");
      task.propose(proposes("review"));
      assert.equal((await task.pass()).to, "review");
    }
    const again = [0, "redirected", "repair"];
    assert.deepEqual(ends, [again, again, [23, "redirected", "needs_user_decision"]]);
    assert.match(
      fieldOf(task.state(), "Blockers") ?? "",
      /3 passes ended the same way \(reviewer security reported a blocking finding: add is bad \(sum\.js:1\)\): passes 2, 5 and 8, /,
    );
    assert.deepEqual(await wrongVerdicts(task), []);
  });

  await Promise.all(cases);
});

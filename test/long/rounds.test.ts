import assert from "node:assert/strict";
import { test } from "node:test";
import { makeReviewWorld, proposes, report, wrongVerdicts } from "../cli/review-world.ts";
import { fieldOf } from "../cli/task-states.ts";
import { makeCases } from "../cli/task-world.ts";

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

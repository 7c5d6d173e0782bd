import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeWorkerFleet } from "./worker-world.ts";

describe("a worker", { concurrency: 2 }, () => {
  test("takes a task from intake to done, offers each next pass itself, and leaves nothing in the engine", async (t) => {
    const fleet = makeWorkerFleet(t, { tasks: ["T-1", "T-2"] });
    assert.deepEqual(await fleet.dispatch(), ["T-1", "T-2"]);
    const report = await fleet.work(fleet.machine("one"), { slots: 2 });
    assert.deepEqual(report.passes, { accepted: 10 }, report.story.join("\n"));
    for (const task of ["T-1", "T-2"]) {
      assert.match(fleet.onBranch(task, `tasks/${task}/STATE.md`), /^- Phase: done$/m);
      assert.equal((await fleet.check(task)).code, 0);
    }
    const { jobs, holds, workers } = await fleet.engine.standing();
    assert.deepEqual([jobs, holds, workers], [[], [], []]);
    assert.deepEqual(await fleet.dispatch(), [], "what is done gets no job");
  });
});

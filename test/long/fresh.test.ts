import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccepted, makeMatrixWorld, origin, solved } from "../cli/matrix-world.ts";
import { stateFile } from "../cli/task-states.ts";
import { makeCases } from "../cli/task-world.ts";

test("fresh checks, from verify to done", { concurrency: 2 }, async (t) => {
  const world = makeMatrixWorld(t);
  const { cases, it } = makeCases(t);
  /** A task whose check counts its runs in a file beside the repo. */
  const begin = async (folder: string, proof: string) => {
    world.write(`cases/${folder}/runs`, "");
    const counting = `echo >> ${world.path("cases", folder, "runs")}\n${origin["test/check.sh"]}`;
    const repo = { ...origin, "test/check.sh": counting };
    const task = await world.begin(folder, { repo, contract: [`proof: { ${proof} }`] });
    return { ...task, runs: () => world.read(`cases/${folder}/runs`).length };
  };

  for (const [proof, most] of [
    ["wrong: auto", 8],
    ["wrong: off", 6],
  ] as const)
    it(`a one-line fix with \`${proof}\` runs the suite at most ${most} times, and each report names the run that counts`, async (folder) => {
      const task = await begin(folder, proof);
      assertAccepted(await task.step("verify", solved), "verify");
      assertAccepted(await task.step("review"), "review");
      const verified = task.runs();
      assert.ok(verified > 3, String(verified));
      task.propose({ task: { "STATE.md": stateFile({ phase: "done" }) } });
      const done = await task.run();
      assert.equal(done.code, 0, done.stderr);
      assert.match(done.stderr, /checks of pass 2, \d+ seconds? earlier, on the same code: they do not run again/);
      assert.equal(task.last().to, "done");
      assert.equal(task.runs(), verified, "nothing runs again");
      assert.ok(verified <= most, String(verified));
      assert.equal(task.last().checks?.taken?.pass, 2);
      const said = /checks of pass 2, \d+ (second|minute)s? earlier, on the same code/;
      assert.match(task.read("EVIDENCE.md"), said);
      assert.match(task.read("artifacts/evidence.html"), said);
      assert.equal(task.last().proof?.grade, "shown");
      await task.assertChecked();
    });

  it("a check of task-phase.yaml that changed in between runs anew", async (folder) => {
    const task = await begin(folder, "wrong: off");
    for (const to of ["verify", "review"] as const) assertAccepted(await task.step(to, solved), to);
    const config = `cases/${folder}/tasks/task-phase.yaml`;
    world.write(config, `${world.read(config)}defaults: { tests_may_change: ["docs/**"] }\n`);
    const verified = task.runs();
    assertAccepted(await task.step("done"), "done");
    assert.equal(task.runs(), verified + 1);
  });

  await Promise.all(cases);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { eventsAt, fieldOf, stateFile } from "../cli/task-states.ts";
import { makeCases, makeTaskWorld, type TaskCase, type TaskSpec, validator } from "../cli/task-world.ts";
import { verdictEvent } from "../rules/arrange.ts";

const concurrency = 2;

/** The cause of the newest escalation that the journal has. */
function causeOf(task: TaskCase): string | null {
  const causes = task.events().flatMap((event) => {
    if (event.type === "escalated") return [event.cause];
    return event.type === "verdict" && event.escalation !== null ? [event.escalation.cause] : [];
  });
  return causes.at(-1) ?? null;
}

/** Blockers say what happened and what a person can do, in one line. */
function assertBlockers(task: TaskCase, happened: RegExp, help: RegExp): void {
  const blockers = fieldOf(task.state(), "Blockers") ?? "";
  assert.match(blockers, /^Stopped by task-phase: .*\. What a person can do: .*\.$/);
  assert.match(blockers, happened);
  assert.match(blockers, help);
}

/** Calls after the escalation say only that the task stands still: no model, no change. */
async function assertStopped(task: TaskCase, code: 21 | 22): Promise<void> {
  const [state, calls] = [task.state(), task.calls()];
  const later = await task.pass();
  assert.deepEqual([later.exit_code, later.verdict, task.calls()], [code, null, calls]);
  assert.equal(task.state(), state);
}

async function told(
  task: TaskCase,
  ...args: readonly string[]
): Promise<readonly [number, string | null, string | null]> {
  const report = await task.pass(...args);
  return [report.exit_code, report.verdict, report.to];
}

test("the runner itself stops a task", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const { taskAt } = world;
  const spent =
    (phase: Phase, count: number): NonNullable<TaskSpec["events"]> =>
    async (place) => [
      ...(await eventsAt(phase, place)),
      ...Array.from({ length: count }, (_, index): TaskEvent => verdictEvent(phase, phase, place, { pass: index + 1 })),
    ];

  for (const [phase, lands, code] of [
    ["implement", "blocked", 21],
    ["review", "needs_user_decision", 22],
  ] as const) {
    it(`the twenty-first of twenty passes in ${phase} is 3, costs nothing, and leads to ${lands}`, async (folder) => {
      // An accepted verify → review is a pass too.
      const task = await taskAt(folder, phase, { events: spent(phase, phase === "review" ? 19 : 20) });
      const report = await task.pass();
      assert.deepEqual(
        [report.exit_code, report.exit_name, report.verdict, report.pass, report.cost_usd, report.to],
        [3, "iterations", null, null, null, lands],
      );
      assert.deepEqual([task.calls(), causeOf(task), fieldOf(task.state(), "Phase")], [0, "passes", lands]);
      assertBlockers(task, /all 20 passes of the budget are spent/, /raise `budget\.passes`/);
      assert.equal(task.exists("DECISIONS.md"), code === 22);
      await assertStopped(task, code);
    });
  }

  it("three timeouts in a row are 24 each, count as no pass, and the third leads to blocked", async (folder) => {
    const task = await taskAt(folder, "implement", { contract: ["budget: { passes: 1 }", validator] });
    const before = task.state();
    task.propose({ sleep: "30", output: "" });
    const stays = [24, "unavailable", "implement"];
    assert.deepEqual([await told(task, "--timeout", "1s"), await told(task, "--timeout", "1s")], [stays, stays]);
    assert.equal(task.state(), before);
    assert.deepEqual(await told(task, "--timeout", "1s"), [24, "unavailable", "blocked"]);
    assert.equal(causeOf(task), "timeouts");
    assertBlockers(task, /the model timed out 3 times in a row/, /raise the model's `timeout`/);
    await assertStopped(task, 21);
  });

  it("in intake the phase is kept, and no pass runs until Blockers are cleared; then the counters start again", async (folder) => {
    const task = await taskAt(folder, "intake");
    task.propose({ task: { "STATE.md": stateFile({ phase: "implement" }) } });
    const stays = [20, "rejected", "intake"];
    assert.deepEqual(
      [await told(task), await told(task), await told(task)],
      [stays, stays, [23, "rejected", "intake"]],
    );
    assert.equal(causeOf(task), "stuck");
    assertBlockers(task, /intake → implement is not allowed/, /then `task-phase resume T-1 --to intake --reason TEXT`/);
    await assertStopped(task, 21);
    task.edit({ Objective: "a smaller one" });
    assert.deepEqual(await told(task), [21, null, "intake"]);
    task.edit({ Blockers: "none" });
    assert.deepEqual(await told(task), stays);
    task.propose({ task: { "STATE.md": stateFile({ phase: "shape" }) } });
    assert.deepEqual(await told(task), [0, "accepted", "shape"]);
  });

  await Promise.all(cases);
});

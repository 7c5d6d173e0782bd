import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldOf, stateFile } from "../cli/task-states.ts";
import { makeCases, makeTaskWorld, type TaskCase, validator } from "../cli/task-world.ts";

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
async function assertStopped(task: TaskCase): Promise<void> {
  const [state, calls] = [task.state(), task.calls()];
  const later = await task.pass();
  assert.deepEqual([later.exit_code, later.verdict, task.calls()], [21, null, calls]);
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
    await assertStopped(task);
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
    await assertStopped(task);
    task.edit({ Objective: "a smaller one" });
    assert.deepEqual(await told(task), [21, null, "intake"]);
    task.edit({ Blockers: "none" });
    assert.deepEqual(await told(task), stays);
    task.propose({ task: { "STATE.md": stateFile({ phase: "shape" }) } });
    assert.deepEqual(await told(task), [0, "accepted", "shape"]);
  });

  await Promise.all(cases);
});

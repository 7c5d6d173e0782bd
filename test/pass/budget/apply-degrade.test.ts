import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ModelConfig } from "../../../lib/documents/config/model-schema.ts";
import { applyDegrade } from "../../../lib/pass/budget/apply-degrade.ts";
import { type Budget, noUsage } from "../../../lib/rules/budgets.ts";
import type { TaskHistory } from "../../../lib/rules/history.ts";
import type { TaskContract } from "../../../lib/task/load-contract.ts";
import { eventsAt } from "../../cli/task-states.ts";
import { passStarted } from "../../rules/arrange.ts";
import { holdTask, noon } from "../verdict/arrange.ts";

const limits = { passes: null, moneyUsd: 10, tokens: null, timeMs: null };
const used = (moneyUsd: number): Budget => ({ scope: "task", limits, used: { ...noUsage, moneyUsd } });
const model = (cheapArgs: readonly string[] | null) => ({ name: "mine", adapter: "command", cheapArgs }) as ModelConfig;

/** The steps of a pass of a task that has used so many of ten dollars, with what is noted of them. */
async function degrade(
  t: TestContext,
  dollars: number,
  before: Partial<TaskHistory> = {},
  cheapArgs: string[] | null = null,
  tried = true,
) {
  const { session, task } = await holdTask(t, "implement", {
    events: async (place) => [...(await eventsAt("implement", place)), ...(tried ? [passStarted(1)] : [])],
  });
  session.history = { ...session.history, ...before };
  const contract = { contract: { degradeOver: 0.8 }, config: { path: "/c.yaml" } } as unknown as TaskContract;
  const { seq } = session.journal;
  const steps = applyDegrade(session, contract, [used(dollars)], model(cheapArgs));
  const event = session.journal.seq === seq ? null : session.journal.events.at(-1);
  return {
    steps,
    event,
    codes: session.findings.map(({ code }) => code),
    told: session.findings.map(({ message }) => message),
    log: task.exists("log.txt") ? task.read("log.txt") : "",
  };
}

test("far from the end of a budget a pass is as usual, and nothing is noted", async (t) => {
  assert.deepEqual(await degrade(t, 5), { steps: [], event: null, codes: [], told: [], log: "" });
});

test("near the end a pass becomes cheaper, which the journal, the log and the report say", async (t) => {
  const { steps, event, codes, log } = await degrade(t, 9);
  assert.ok(steps.includes("cheap_tier"));
  assert.deepEqual([event?.type, event?.type === "degraded" && event.steps], ["degraded", steps]);
  assert.deepEqual(codes, ["TP_NO_CHEAP_TIER"], "nothing else is cheaper yet");
  assert.match(log, new RegExp(`^${noon} passes are cheaper by cheap_tier.* \\(mine has no cheap tier\\): .*\\n$`));
  assert.deepEqual((await degrade(t, 9, {}, ["--small"])).codes, ["TP_DEGRADED"]);
});

test("one step more is taken after each pass, and none after a call that began none", async (t) => {
  const two = await degrade(t, 9, { degrade: ["cheap_tier"] });
  assert.deepEqual([two.steps, two.event?.type], [["cheap_tier", "small_context"], "degraded"]);
  assert.match(two.told[0] ?? "", /^this pass is cheaper by small_context: /);
  const all = await degrade(t, 9, { degrade: ["cheap_tier", "small_context", "no_self_review"] });
  assert.deepEqual([all.steps.length, all.event, all.codes[0]], [3, null, "TP_DEGRADED"]);
  const untried = await degrade(t, 9, { degrade: ["cheap_tier"] }, null, false);
  assert.deepEqual([untried.steps, untried.event], [["cheap_tier"], null]);
});

test("once there is room again, passes are back to normal", async (t) => {
  const { steps, event, codes, log } = await degrade(t, 1, { degrade: ["cheap_tier"] });
  assert.deepEqual([steps, event?.type, codes], [[], "degraded", []]);
  assert.match(log, /passes are back to normal: /);
});

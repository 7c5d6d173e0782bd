import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Limits, noLimits } from "../../../lib/documents/config/limits-schema.ts";
import type { ModelConfig } from "../../../lib/documents/config/model-schema.ts";
import { requireKnownCosts } from "../../../lib/pass/budget/money.ts";
import {
  boundTimeout,
  expectedOf,
  nextUtcMidnight,
  readBudgets,
  refuseSpent,
  renderAmount,
  renderHistory,
  renderSpent,
} from "../../../lib/pass/budget/task-budgets.ts";
import { type Budget, noUsage, type SpentBudget } from "../../../lib/rules/budgets.ts";
import { emptyHistory, type TaskHistory } from "../../../lib/rules/history.ts";
import { noSpend, type Spend } from "../../../lib/rules/spend.ts";
import type { TaskContract } from "../../../lib/task/load-contract.ts";
import type { TaskSession } from "../../../lib/task/session.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { mustRead } from "../../documents/arrange.ts";
import { counts, verdictEvent } from "../../rules/arrange.ts";
import { holdTask, noon } from "../verdict/arrange.ts";

const model = (more: Partial<ModelConfig> = {}): ModelConfig =>
  ({ name: "mine", adapter: "claude", estimateUsd: null, price: null, ...more }) as ModelConfig;

interface Set {
  readonly task?: Partial<Limits>;
  readonly run?: Partial<Limits>;
  readonly day?: Partial<Limits>;
  readonly path?: string | null;
}

function contract({ task, run, day, path = "/tasks/task-phase.yaml" }: Set): TaskContract {
  const budget = { run: { ...noLimits, ...run }, day: { ...noLimits, ...day } };
  return { contract: { budget: { ...noLimits, ...task } }, config: { budget, path } } as unknown as TaskContract;
}

function spending(spend: Partial<Spend>, more: Partial<TaskHistory> = {}) {
  return { history: { ...emptyHistory, spend: { ...noSpend, ...spend }, ...more } };
}

describe("a spent budget", () => {
  const spent: SpentBudget = { scope: "task", kind: "money", used: 1.5, limit: 2, estimate: 0.75 };

  test("is reported with its key, its amounts and what would exceed it", () => {
    const passes = { ...spent, kind: "passes", used: 12, limit: 12, estimate: null } as const;
    assert.deepEqual(
      [
        renderSpent(spent, "mine"),
        renderSpent(spent, null),
        renderSpent({ ...spent, estimate: null }, "mine"),
        renderSpent({ ...spent, scope: "run", kind: "tokens", used: 900.4, limit: 1_000, estimate: 101 }, null),
        renderSpent({ ...spent, scope: "day", kind: "time", used: 60_000, limit: 60_000, estimate: null }, null),
        renderSpent(passes, "mine"),
        renderSpent({ ...passes, limit: 1 }, "mine"),
        renderSpent({ ...passes, scope: "run" }, "mine"),
        renderSpent({ ...passes, scope: "day", used: 1, limit: 1 }, "mine"),
      ],
      [
        "`budget.money_usd`: 1.50 USD of 2.00 USD are spent, and the next pass, by mine, is estimated at 0.75 USD",
        "`budget.money_usd`: 1.50 USD of 2.00 USD are spent, and the next pass is estimated at 0.75 USD",
        "1.50 USD of 2.00 USD are spent, all of `budget.money_usd`",
        "`budget.run.tokens`: 900 tokens of 1000 tokens are spent, and the next pass is estimated at 101 tokens",
        `${renderAmount("time", 60_000)} of ${renderAmount("time", 60_000)} are spent, all of \`budget.day.time\``,
        "all 12 passes of the budget are spent (`budget.passes` in the brief raises it)",
        "the one pass of the budget is spent (`budget.passes` in the brief raises it)",
        "12 passes of 12 passes are spent, all of `budget.run.passes`",
        "1 pass of 1 pass is spent, all of `budget.day.passes`",
      ],
    );
  });

  test("is reported with what was tried", () => {
    const lastVerdict = verdictEvent(
      "verify",
      "repair",
      { state: "", contract: "" },
      { pass: 7, verdict: "redirected" },
    );
    const told = (passes: number, repairs: number) =>
      renderHistory({ counts: counts({ passes, repairs }), lastVerdict: { ...lastVerdict, reason: "it fails" } });
    assert.deepEqual(
      [renderHistory({ counts: counts(), lastVerdict: null }), told(1, 0), told(7, 1), told(7, 2)],
      [
        "nothing yet",
        "1 pass; the newest, pass 7 in verify, was redirected (it fails)",
        "7 passes and 1 repair; the newest, pass 7 in verify, was redirected (it fails)",
        "7 passes and 2 repairs; the newest, pass 7 in verify, was redirected (it fails)",
      ],
    );
  });
});

describe("before a call", () => {
  const budget = (limits: Partial<Limits>, used: Partial<Budget["used"]>, scope: Budget["scope"] = "task"): Budget => ({
    scope,
    limits: { ...noLimits, ...limits },
    used: { ...noUsage, ...used },
  });

  async function refuse(
    t: Parameters<typeof holdTask>[0],
    budgets: readonly Budget[],
    next: ModelConfig | null,
    calls?: number,
  ) {
    const held = await holdTask(t, "implement");
    const before = held.session.journal.seq;
    const stopped = refuseSpent(held.session, mustRead(held.task.state()), contract({}), budgets, next, calls);
    return { stopped, added: held.session.journal.seq - before, event: held.session.journal.events.at(-1) };
  }

  test("a budget that it fits lets it through, for every call that is to be made", async (t) => {
    const room = [budget({ moneyUsd: 2 }, { moneyUsd: 1 })];
    assert.equal((await refuse(t, room, model({ estimateUsd: 0.5 }), 2)).stopped, null);
    assert.equal((await refuse(t, room, model({ estimateUsd: 0.5 }), 3)).stopped?.exitName, "budget");
    assert.equal((await refuse(t, room, model({ estimateUsd: 1.5 }))).stopped?.exitName, "budget");
    assert.equal((await refuse(t, room, null)).stopped, null);
  });

  test("a spent budget of the task stops the task", async (t) => {
    const { stopped, added, event } = await refuse(t, [budget({ passes: 1 }, { passes: 1 })], null);
    assert.deepEqual(
      [stopped?.exitName, stopped?.to, stopped?.escalated, added],
      ["iterations", "blocked", "passes", 1],
    );
    assert.match(
      event?.type === "escalated" ? event.blockers : "",
      /^Stopped by task-phase: the one pass of the budget is spent .*\. What was tried: nothing yet\. What a person can do: /,
    );
  });

  test("one of the run or the day stops this call alone, and says when a day is over", async (t) => {
    const run = await refuse(t, [budget({ tokens: 5 }, { tokens: 5 }, "run")], null);
    assert.deepEqual([run.added, run.stopped?.exitName, run.stopped?.nextEligibleAt], [0, "budget", null]);
    assert.equal(
      run.stopped?.reason,
      "the budget of the run stops the task where it is: 5 tokens of 5 tokens are spent, all of `budget.run.tokens`. To continue before the next call of the loop, which starts from zero, raise that key in /tasks/task-phase.yaml",
    );
    const day = await refuse(t, [budget({ tokens: 5 }, { tokens: 5 }, "day")], null);
    assert.deepEqual([day.added, day.stopped?.nextEligibleAt], [0, "2026-11-22T00:00:00.000Z"]);
    assert.match(
      day.stopped?.reason ?? "",
      /To continue before the next UTC day, which begins at 2026-11-22T00:00:00\.000Z, raise/,
    );
  });

  test("the model works no longer than the time that is left, and at least a second", () => {
    const left = (used: number) => boundTimeout([budget({ timeMs: 10_000 }, { timeMs: used })], 5_000);
    assert.deepEqual(
      [left(0), left(5_000), left(7_000.4), left(9_500), left(20_000)],
      [5_000, 5_000, 2_999, 1_000, 1_000],
    );
    assert.equal(boundTimeout([], 5_000), 5_000);
  });
});

test("a call is expected to use what its model used before, or what the configuration says", () => {
  const task = spending({
    recent: { mine: [0.5, 0.25] },
    recentTokens: { mine: [100, 300] },
  }) as unknown as TaskSession;
  assert.deepEqual(expectedOf(task, model(), 1), { estimateUsd: 0.5, tokens: 300 });
  assert.deepEqual(expectedOf(task, model({ estimateUsd: 1 }), 3), { estimateUsd: 3, tokens: 900 });
  assert.deepEqual(expectedOf(task, model({ name: "new" }), 2), { estimateUsd: null, tokens: 0 });
});

test("a day ends at midnight in UTC", () => {
  assert.deepEqual(
    ["2026-12-31T23:59:59.999Z", "2026-02-28T00:00:00.000Z"].map((now) => nextUtcMidnight(new Date(now))),
    ["2027-01-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
  );
});

test("other tasks are looked at only if a run or a day is bounded", async (t) => {
  const { session } = await holdTask(t, "implement");
  const scopes = (set: Set, run = false) =>
    readBudgets(session, contract(set), run ? ({ id: "r1" } as never) : null).map(({ scope }) => scope);
  assert.deepEqual(
    [
      scopes({ task: { passes: 3 } }),
      scopes({ run: { passes: 3 } }),
      scopes({ run: { passes: 3 } }, true),
      scopes({ day: { moneyUsd: 1 } }, true),
      scopes({ run: { tokens: 1 }, day: { timeMs: 1 } }, true),
    ],
    [["task"], ["task"], ["task", "run"], ["task", "day"], ["task", "run", "day"]],
  );
});

describe("a money budget over a model whose cost cannot be known", () => {
  const told = (models: readonly ModelConfig[], set: Set, spend: Partial<Spend> = {}, started = {}) => {
    const session = {
      ...spending(spend, { started }),
      place: { tasksRoot: "/tasks" },
      ports: {},
    } as unknown as TaskSession;
    try {
      requireKnownCosts(session, contract(set), models);
      return [];
    } catch (error) {
      assert.ok(error instanceof TaskPhaseError && error.exitName === "config", String(error));
      return error.findings.map(({ message, fix, file }) => `${file}: ${message}; ${fix}`);
    }
  };
  const money = { task: { moneyUsd: 1 } };
  const command = model({ name: "own", adapter: "command" });

  test("is a config error that names the keys and the way out, one for each model", () => {
    assert.deepEqual(told([command, model({ adapter: "codex" })], money), [
      "/tasks/task-phase.yaml: the brief sets `budget.money_usd`, and what a pass of model own costs cannot be known before it has reported one; add `estimate_usd:` or `price:` to the model, or remove `budget.money_usd` from the brief",
      "/tasks/task-phase.yaml: the brief sets `budget.money_usd`, and what a pass of model mine costs cannot be known: its CLI reports tokens and no cost; add `estimate_usd:` or `price:` to the model, or remove `budget.money_usd` from the brief",
    ]);
    assert.deepEqual(told([command], { ...money, run: { moneyUsd: 1 }, day: { moneyUsd: 2 }, path: null }), [
      "/tasks/task-phase.yaml: the brief sets `budget.money_usd`, and task-phase.yaml sets `budget.run.money_usd` and `budget.day.money_usd`, and what a pass of model own costs cannot be known before it has reported one; add `estimate_usd:` or `price:` to the model, or remove `budget.money_usd` from the brief, and `budget.run.money_usd` and `budget.day.money_usd` from task-phase.yaml",
    ]);
  });

  test("is one too if the newest pass reported none, whatever the others did", () => {
    const silent = { silent: ["mine"], recent: { mine: [1] } };
    assert.match(told([model()], money, silent)[0] ?? "", /cannot be known: its newest pass reported none; add/);
    assert.deepEqual(told([model({ estimateUsd: 1 })], money, silent), []);
  });

  test("is none if the cost is known, or nothing bounds money", () => {
    assert.deepEqual(told([command], { task: { passes: 3 } }), []);
    assert.deepEqual(told([model()], money), []);
    assert.deepEqual(told([{ ...command, price: { inputPerMtok: 1, outputPerMtok: 1 } }], money), []);
    assert.deepEqual(told([command], money, { recent: { own: [0.5] } }), []);
    assert.deepEqual(told([{ ...command, estimateUsd: 0 }], money), []);
  });
});

test("amounts have their unit", () => {
  assert.deepEqual(
    [renderAmount("money", 0.5), renderAmount("tokens", 1.6), renderAmount("passes", 3)],
    ["0.50 USD", "2 tokens", "3 passes"],
  );
  assert.equal(noon.slice(0, 10), "2026-11-21");
});

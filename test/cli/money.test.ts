import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { verdictEvent } from "../rules/arrange.ts";
import { eventsAt, fieldOf, withFields } from "./task-states.ts";
import { makeCases, makeTaskWorld, type TaskSpec, validator } from "./task-world.ts";

const concurrency = 2;
const estimated = (usd: number): string => `, estimate_usd: ${usd}`;
const budget = (usd: number): readonly string[] => [`budget: { money_usd: ${usd} }`, validator];

/** Passes in implement that cost so much each. */
const spent =
  (...costs: readonly (number | null)[]): NonNullable<TaskSpec["events"]> =>
  async (place) => [
    ...(await eventsAt("implement", place)),
    ...costs.flatMap((cost_usd, index): TaskEvent[] => [
      verdictEvent("implement", "implement", place, { pass: index + 1, cost_usd }),
    ]),
  ];

test("money", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const taskWith = (folder: string, spec: Partial<TaskSpec>) =>
    world.makeTask(folder, { state: { phase: "implement" }, events: spent(), ...spec });

  it("19.50 of 20 with an estimate of 1.00 is 2, before the call, and STATE.md says why", async (folder) => {
    const task = await taskWith(folder, { contract: budget(20), model: estimated(1), events: spent(19.5) });
    const report = await task.pass();
    assert.deepEqual(
      [report.exit_code, report.exit_name, report.verdict, report.pass, report.to, task.calls()],
      [2, "budget", null, null, "blocked", 0],
    );
    assert.match(
      fieldOf(task.state(), "Blockers") ?? "",
      /^Stopped by task-phase: `budget\.money_usd`: 19\.50 USD of 20\.00 USD are spent, and the next pass, by prepared, is estimated at 1\.00 USD.*raise `budget\.money_usd` in the brief, then `task-phase resume T-1 --to \w+ --reason TEXT`\.$/,
    );
    const later = await task.pass();
    assert.deepEqual([later.exit_code, task.calls()], [21, 0]);
  });

  it("a pass of unknown cost counts as its estimate", async (folder) => {
    const task = await taskWith(folder, { contract: budget(2), model: estimated(0.8) });
    task.propose({ repo: { "one.txt": "1\n" } }, 1);
    task.propose({ repo: { "two.txt": "2\n" } }, 2);
    const first = await task.pass();
    assert.deepEqual([first.exit_code, first.cost_usd], [0, null]);
    assert.equal((await task.pass()).exit_code, 0);
    assert.deepEqual([(await task.pass()).exit_code, task.calls()], [2, 2]);
    const status = JSON.parse((await task.command("status", "--json")).stdout) as Record<string, unknown>;
    assert.deepEqual([status.spent_usd, status.charged_usd, status.unknown_costs], [null, 1.6, 2]);
  });

  it("a money budget over a model whose cost cannot be known is 78, names the fix, and calls nothing", async (folder) => {
    const task = await taskWith(folder, { contract: budget(5) });
    const before = task.state();
    const report = await task.pass();
    assert.deepEqual([report.exit_code, task.calls()], [78, 0]);
    const after = { Status: fieldOf(before, "Status") ?? "", "Last updated": fieldOf(before, "Last updated") ?? "" };
    const fields = (text: string) => text.split("## Phases")[0];
    assert.equal(fields(withFields(task.state(), after)), fields(before));
    assert.deepEqual(
      report.findings.map(({ code, message }) => [code, message]),
      [
        [
          "TP_COST_UNKNOWN",
          "the brief sets `budget.money_usd`, and what a pass of model prepared costs cannot be known before it has reported one",
        ],
      ],
    );
    assert.match((await task.run()).stderr, /add `estimate_usd:` or `price:` to the model/);
  });

  it("a dry run of a spent task says 2 and writes nothing", async (folder) => {
    const task = await taskWith(folder, { contract: budget(1), model: estimated(0.1), events: spent(1) });
    const [state, journal] = [task.state(), task.read("artifacts/journal.jsonl")];
    assert.equal((await task.pass("--dry-run")).exit_code, 2);
    assert.deepEqual([task.state(), task.read("artifacts/journal.jsonl")], [state, journal]);
  });

  it("tokens that have a price become a cost", async (folder) => {
    const price = ", price: { input_per_mtok: 3, output_per_mtok: 15 }";
    const task = await taskWith(folder, { contract: budget(5), model: price });
    task.propose({ repo: { "new.txt": "new\n" }, tokens: [100_000, 20_000] });
    const report = await task.pass();
    assert.deepEqual([report.exit_code, report.cost_usd], [0, 0.6]);
    const status = JSON.parse((await task.command("status", "--json")).stdout) as Record<string, unknown>;
    assert.deepEqual([status.spent_usd, status.charged_usd], [0.6, 0.6]);
  });

  await Promise.all(cases);
});

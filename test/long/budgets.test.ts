import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { eventsAt, fieldOf } from "../cli/task-states.ts";
import { makeCases, makeTaskWorld, type TaskSpec, validator } from "../cli/task-world.ts";
import { verdictEvent } from "../rules/arrange.ts";

const concurrency = 2;

/** Passes of this task, each with what it used. */
const spent =
  (phase: Phase, ...passes: readonly Partial<VerdictEvent>[]): NonNullable<TaskSpec["events"]> =>
  async (place) => [
    ...(await eventsAt(phase, place)),
    ...passes.map((fields, index): TaskEvent => verdictEvent(phase, phase, place, { pass: index + 1, ...fields })),
  ];

test("budgets", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);

  const kinds = [
    {
      key: "passes",
      limit: "3",
      more: "4",
      code: 3,
      used: {},
      says: /all 3 passes of the budget are spent/,
      again: /all 3 passes are spent, so raise `budget\.passes` in the brief/,
    },
    {
      key: "money_usd",
      limit: "3",
      more: "4",
      code: 2,
      used: { cost_usd: 1 },
      says: /3\.00 USD of 3\.00 USD are spent, all of `budget\.money_usd`/,
      again: /all 3\.00 USD are spent, so raise `budget\.money_usd` in the brief/,
    },
  ] as const;
  for (const { key, limit, more, code, used, says, again } of kinds) {
    it(`spent ${key} stop the task with ${code} and say which key to raise, until it is raised`, async (folder) => {
      const task = await world.makeTask(folder, {
        state: { phase: "implement" },
        contract: [`budget: { ${key}: ${limit} }`, "degrade: null", validator],
        model: ", estimate_usd: 0.5",
        events: spent("implement", used, used, used),
      });
      const report = await task.pass();
      assert.deepEqual([report.exit_code, report.verdict, report.to, task.calls()], [code, null, "blocked", 0]);
      const blockers = fieldOf(task.state(), "Blockers") ?? "";
      assert.match(blockers, says);
      assert.match(blockers, /What was tried: 3 passes; the newest, pass 3 in implement, was accepted/);
      assert.match(
        blockers,
        new RegExp(
          `What a person can do: raise \`budget\\.${key}\` in the brief, then .task-phase resume T-1 --to implement`,
        ),
      );
      const journal = task.read("artifacts/journal.jsonl");
      assert.deepEqual([(await task.pass()).exit_code, task.read("artifacts/journal.jsonl")], [21, journal]);

      const resumed = await task.command("resume", "--to", "implement", "--reason", "go on");
      assert.match(resumed.stderr + resumed.stdout, again);
      assert.deepEqual([(await task.pass()).exit_code, fieldOf(task.state(), "Blockers")], [code, blockers]);

      task.write("README.md", task.read("README.md").replace(`${key}: ${limit}`, `${key}: ${more}`));
      const raised = await task.command("resume", "--to", "implement", "--reason", "more of it");
      assert.doesNotMatch(raised.stderr + raised.stdout, /raise/);
      task.propose({ repo: { "new.txt": "new\n" }, costUsd: 0.5 });
      assert.deepEqual([(await task.pass()).exit_code, task.calls()], [0, 1]);
    });
  }

  await Promise.all(cases);
});

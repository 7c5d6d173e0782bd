import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { eventsAt, fieldOf, stateFile } from "../cli/task-states.ts";
import {
  journalFile,
  makeCases,
  makeTaskWorld,
  type Report,
  type TaskCase,
  type TaskSpec,
  validator,
} from "../cli/task-world.ts";
import { passStarted, verdictEvent } from "../rules/arrange.ts";

const concurrency = 2;
const noon = new Date("2026-03-04T12:00:00.000Z");
const morning = "2026-03-04T08:00:00.000Z";

type Told = Report & { readonly next_eligible_at: string | null };
type Start = Extract<TaskEvent, { type: "pass_started" }>;

/** Passes of this task, each with what it used. */
const spent =
  (phase: Phase, ...passes: readonly Partial<VerdictEvent>[]): NonNullable<TaskSpec["events"]> =>
  async (place) => [
    ...(await eventsAt(phase, place)),
    ...passes.map((fields, index): TaskEvent => verdictEvent(phase, phase, place, { pass: index + 1, ...fields })),
  ];

const started = (fields: Partial<Start> = {}): Start => passStarted(1, { at: morning, model: "prepared", ...fields });

test("budgets", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const taskWith = (folder: string, spec: Partial<TaskSpec>) =>
    world.makeTask(folder, { state: { phase: "implement" }, events: spent("implement"), ...spec });
  const passAt = async (task: TaskCase, now: Date, ...args: readonly string[]): Promise<Told> => {
    const end = await world.call("task-phase-run", ["--task-dir", task.taskDir, "--json", ...args], { now });
    return end.json() as unknown as Told;
  };
  const rootFile = (task: TaskCase, ...parts: readonly string[]) =>
    path.relative(world.folder, path.join(path.dirname(task.taskDir), ...parts));
  /** Adds lines to the task-phase.yaml of the task's root. */
  const configure = (task: TaskCase, line: string) => {
    const file = rootFile(task, "task-phase.yaml");
    world.write(file, `${world.read(file)}${line}\n`);
  };
  /** Another task of the same root. */
  const addTask = (task: TaskCase, name: string, journal: string) => {
    world.write(rootFile(task, name, "STATE.md"), stateFile({ phase: "implement" }));
    world.write(rootFile(task, name, "artifacts", "journal.jsonl"), journal);
  };
  const place = { state: "", contract: "", repo: "" };

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
      const task = await taskWith(folder, {
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

  it("tokens: a call that is estimated at more than is left is 2 before it begins, one that fits is made", async (folder) => {
    const used = [900, 50, 200, 100].map((input) => ({ tokens: { input, output: 0 } }));
    const exceeds = await taskWith(`${folder}-exceeds`, {
      contract: ["budget: { tokens: 1449 }", validator],
      events: spent("implement", ...used),
    });
    assert.deepEqual([(await exceeds.pass()).exit_code, exceeds.calls()], [2, 0]);
    assert.match(
      fieldOf(exceeds.state(), "Blockers") ?? "",
      /`budget\.tokens`: 1250 tokens of 1449 tokens are spent, and the next pass, by prepared, is estimated at 200 tokens/,
    );
    const fits = await taskWith(`${folder}-fits`, {
      contract: ["budget: { tokens: 1450 }", validator],
      events: spent("implement", ...used),
    });
    fits.propose({ repo: { "new.txt": "new\n" }, tokens: [150, 50] });
    assert.deepEqual([(await fits.pass()).exit_code, (await fits.pass()).exit_code, fits.calls()], [0, 2, 1]);
  });

  it("a pass that was cut off is charged the time since it began", async (folder) => {
    const task = await taskWith(folder, {
      events: async (at) => [...(await eventsAt("implement", at)), started({ timeout_ms: 300_000 })],
    });
    await passAt(task, new Date(Date.parse(morning) + 90_000));
    const [verdict] = task.events().flatMap((event) => (event.type === "verdict" ? [event] : []));
    assert.deepEqual([verdict?.verdict, verdict?.duration_ms], ["interrupted", 90_000]);
  });

  it("a spent day over all tasks of the root is 2, changes nothing, and ends at midnight UTC", async (folder) => {
    const task = await taskWith(folder, { model: ", estimate_usd: 1" });
    configure(task, "budget: { day: { money_usd: 20 } }");
    addTask(
      task,
      "T-2",
      journalFile([started(), verdictEvent("implement", "implement", place, { at: morning, cost_usd: 19.5 })]),
    );
    const before = [task.state(), task.read("artifacts/journal.jsonl")];
    const report = await passAt(task, noon);
    assert.deepEqual(
      [report.exit_code, report.exit_name, report.verdict, report.to, report.next_eligible_at, task.calls()],
      [2, "budget", null, "implement", "2026-03-05T00:00:00.000Z", 0],
    );
    assert.equal(
      report.reason,
      `the budget of the day stops the task where it is: \`budget.day.money_usd\`: 19.50 USD of 20.00 USD are spent, and the next pass, by prepared, is estimated at 1.00 USD. To continue before the next UTC day, which begins at 2026-03-05T00:00:00.000Z, raise that key in ${path.join(path.dirname(task.taskDir), "task-phase.yaml")}`,
    );
    assert.deepEqual([task.state(), task.read("artifacts/journal.jsonl")], before);
    task.propose({ repo: { "new.txt": "new\n" }, costUsd: 1 });
    assert.equal((await passAt(task, new Date("2026-03-05T00:00:00.000Z"))).exit_code, 0);
  });

  it("a run is bounded over the passes of one call of the loop; the next call begins anew", async (folder) => {
    const task = await taskWith(folder, {});
    configure(task, "budget: { run: { passes: 2 } }");
    for (const pass of [1, 2, 3, 4]) task.propose({ repo: { [`${pass}.txt`]: `${pass}\n` } }, pass);
    for (const calls of [2, 4]) {
      const state = fieldOf(task.state(), "Phase");
      const end = await world.call("task-phase-loop", ["--task-dir", task.taskDir, "--json"]);
      assert.equal(end.code, 2, end.stderr);
      assert.deepEqual([task.calls(), fieldOf(task.state(), "Phase")], [calls, state]);
    }
    const runs = task.events().flatMap((event) => (event.type === "pass_started" ? [event.run] : []));
    assert.deepEqual([new Set(runs).size, runs[0] === runs[1], runs[2] === runs[3]], [2, true, true]);
  });

  await Promise.all(cases);
});

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { passStarted, verdictEvent } from "../rules/arrange.ts";
import { eventsAt, fieldOf, stateFile } from "./task-states.ts";
import {
  journalFile,
  makeCases,
  makeTaskWorld,
  type Report,
  type TaskCase,
  type TaskSpec,
  validator,
} from "./task-world.ts";

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
    {
      key: "tokens",
      limit: "3000",
      more: "4000",
      code: 2,
      used: { tokens: { input: 900, output: 100 } },
      says: /3000 tokens of 3000 tokens are spent, all of `budget\.tokens`/,
      again: /all 3000 tokens are spent, so raise `budget\.tokens` in the brief/,
    },
    {
      key: "time",
      limit: "3m",
      more: "4m",
      code: 2,
      used: { duration_ms: 60_000 },
      says: /3m of 3m are spent, all of `budget\.time`/,
      again: /all 3m are spent, so raise `budget\.time` in the brief/,
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

  it("in review a spent budget asks a person, in intake it holds the task; later calls say 22 and 21", async (folder) => {
    for (const [phase, lands, later] of [
      ["review", "needs_user_decision", 22],
      ["intake", "intake", 21],
    ] as const) {
      const task = await taskWith(`${folder}-${phase}`, {
        state: { phase },
        contract: ["budget: { tokens: 100 }", validator],
        events: spent(phase, { tokens: { input: 100, output: 0 } }),
      });
      const report = await task.pass();
      assert.deepEqual([report.exit_code, report.to, fieldOf(task.state(), "Phase")], [2, lands, lands]);
      assert.deepEqual([(await task.pass()).exit_code, task.calls()], [later, 0]);
    }
  });

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

  it("time: what is left bounds the model, and no less than a second; afterwards it is spent", async (folder) => {
    const task = await taskWith(folder, {
      contract: ["budget: { time: 60s }", "degrade: null", validator],
      events: spent("implement", { duration_ms: 59_900 }),
    });
    task.propose({ sleep: "30" });
    const report = await task.pass();
    assert.deepEqual([report.exit_code, report.verdict], [24, "unavailable"]);
    const bound = task.events().flatMap((event) => (event.type === "pass_started" ? [event.timeout_ms] : []));
    assert.deepEqual(bound, [1_000]);
    assert.deepEqual([(await task.pass()).exit_code, task.calls()], [2, 1]);
  });

  it("unavailable and interrupted passes count against time", async (folder) => {
    const task = await taskWith(folder, {
      contract: ["budget: { time: 60s, passes: 1 }", validator],
      events: spent(
        "implement",
        { duration_ms: 30_000, verdict: "unavailable", end: { kind: "auth_failed", reason: "401" } },
        {
          duration_ms: 30_000,
          verdict: "interrupted",
          end: { kind: "interrupted", reason: "SIGTERM", cause: "signal" },
        },
      ),
    });
    assert.deepEqual([(await task.pass()).exit_code, fieldOf(task.state(), "Phase")], [2, "blocked"]);
  });

  for (const [name, seconds, charged] of [
    ["the time since it began", 90, 90_000],
    ["no more than its timeout", 9_000, 300_000],
    ["nothing where the clock was set back", -3_600, 0],
  ] as const) {
    it(`a pass that was cut off is charged ${name}`, async (folder) => {
      const task = await taskWith(folder, {
        events: async (at) => [...(await eventsAt("implement", at)), started({ timeout_ms: 300_000 })],
      });
      await passAt(task, new Date(Date.parse(morning) + seconds * 1_000));
      const [verdict] = task.events().flatMap((event) => (event.type === "verdict" ? [event] : []));
      assert.deepEqual([verdict?.verdict, verdict?.duration_ms], ["interrupted", charged]);
    });
  }

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

  it("passes, tokens and time of a day are bounds too, and what another runner has begun counts", async (folder) => {
    const used = { at: morning, tokens: { input: 70, output: 7 }, duration_ms: 60_000 };
    for (const [limit, says] of [
      ["passes: 2", /2 passes of 2 passes are spent, all of `budget\.day\.passes`/],
      ["tokens: 77", /77 tokens of 77 tokens are spent, all of `budget\.day\.tokens`/],
      ["time: 61s", /1m30s of 1m1s are spent, all of `budget\.day\.time`/],
    ] as const) {
      const task = await taskWith(`${folder}-${limit.replace(/\W+/g, "-")}`, {});
      configure(task, `budget: { day: { ${limit} } }`);
      const open = started({ pass: 2, at: "2026-03-04T11:59:30.000Z", timeout_ms: 60_000, model: "other" });
      addTask(
        task,
        "T-2",
        journalFile([started(), verdictEvent("implement", "implement", place, { pass: 1, ...used }), open]),
      );
      const report = await passAt(task, noon);
      assert.equal(report.exit_code, 2, limit);
      assert.match(report.reason, says);
      assert.equal(task.calls(), 0);
    }
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

  it("a pass of its own belongs to no run", async (folder) => {
    const task = await taskWith(folder, {});
    configure(task, "budget: { run: { passes: 1 } }");
    for (const pass of [1, 2]) task.propose({ repo: { [`${pass}.txt`]: `${pass}\n` } }, pass);
    assert.deepEqual([(await task.pass()).exit_code, (await task.pass()).exit_code], [0, 0]);
  });

  it("another task that is broken is a warning where a day is bounded, and nothing where none is", async (folder) => {
    const task = await taskWith(folder, {});
    addTask(task, "T-2", "no journal\n");
    assert.deepEqual((await task.pass("--dry-run")).findings, []);
    configure(task, "budget: { day: { passes: 5 } }");
    const report = await task.pass("--dry-run");
    assert.deepEqual(
      [report.exit_code, report.findings.map(({ code, severity }) => [code, severity])],
      [0, [["TP_USAGE", "warning"]]],
    );
  });

  it("money of a run or a day over a model whose cost cannot be known is 78 and names file and key", async (folder) => {
    const task = await taskWith(folder, { contract: ["budget: { money_usd: 5 }", validator] });
    configure(task, "budget: { run: { money_usd: 1 }, day: { money_usd: 2 } }");
    const report = await task.pass();
    assert.deepEqual([report.exit_code, task.calls()], [78, 0]);
    const [finding] = report.findings;
    assert.equal(finding?.file, path.join(path.dirname(task.taskDir), "task-phase.yaml"));
    assert.equal(
      finding?.message,
      "the brief sets `budget.money_usd`, and task-phase.yaml sets `budget.run.money_usd` and `budget.day.money_usd`, and what a pass of model prepared costs cannot be known before it has reported one",
    );
    assert.match(
      (await task.run()).stderr,
      /or remove `budget\.money_usd` from the brief, and `budget\.run\.money_usd` and `budget\.day\.money_usd` from task-phase\.yaml/,
    );
  });

  await Promise.all(cases);
});

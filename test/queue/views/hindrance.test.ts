import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { watchHindrances, watchRepos, watchTaskHindrances } from "../../../lib/queue/views/hindrance.ts";
import { inspectRoot } from "../../../lib/queue/views/inspect-root.ts";
import type { InspectedTask } from "../../../lib/queue/views/inspect-task.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { at, eventsAt } from "../../cli/task-states.ts";
import { makeTaskWorld, portsOf, type TaskSpec, validator } from "../../cli/task-world.ts";
import { verdictEvent } from "../../rules/arrange.ts";

interface Spec extends Partial<TaskSpec> {
  readonly phase?: Phase;
  /** Lines of task-phase.yaml behind the model. */
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Why no model can be called. */
  readonly unavailable?: string;
  /** The repo was removed. */
  readonly gone?: true;
}

/** Why a task is hindered, for who runs it and for who reads a board. */
async function look(
  t: TestContext,
  { phase = "implement", config = "", env = {}, unavailable, gone, ...spec }: Spec = {},
) {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", { state: { phase }, events: (place) => eventsAt(phase, place), ...spec });
  const file = "cases/one/tasks/task-phase.yaml";
  world.write(file, `${world.read(file)}${config}`);
  if (gone) rmSync(`${task.folder}/repo`, { recursive: true });
  const ports = portsOf({ env: { ...world.env, ...env }, folder: world.folder }, () => new Date(at));
  const [found] = inspectRoot(`${task.folder}/tasks`, null, ports, false);
  assert.ok(found !== undefined);
  const seen = unavailable === undefined ? found : { ...found, models: { ...found.models, unavailable } };
  const say = (one: { why: string } | null) => one?.why.replaceAll(task.folder, "") ?? null;
  return {
    full: watchHindrances(ports)(seen),
    run: say(watchHindrances(ports)(seen)),
    board: say(watchTaskHindrances(ports)(seen)),
  };
}

describe("a task", () => {
  test("that nothing keeps back is not hindered, and neither is one on which no model is called", async (t) => {
    const { run, board } = await look(t);
    assert.deepEqual([run, board], [null, null]);
    const done = await look(t, {
      phase: "done",
      contract: ["validators: [{ name: tests, command: [no-such-program] }]"],
    });
    assert.deepEqual([done.run, done.board], [null, null]);
    assert.equal((await look(t, { phase: "done", env: { TASK_PHASE_TRUST: "" } })).run, null);
  });

  test("of a tasks root that is not trusted says how to trust it, and a board does not", async (t) => {
    const { full, run, board } = await look(t, { env: { TASK_PHASE_TRUST: "" } });
    assert.match(run ?? "", /trust/);
    assert.match(full?.mend ?? "", /^task-phase trust /);
    assert.equal(board, null);
  });

  test("for which no model can be called names the command that explains it", async (t) => {
    const { full, board } = await look(t, {
      model: ", timeout: 1m",
      config: "",
      env: { PATH: "/nonexistent" },
      contract: ["validators: [{ name: tests, command: [/bin/sh] }]"],
    });
    assert.deepEqual([full, board], [null, null], "a model with an absolute path can be called");
  });

  test("whose check cannot start, or beside which another loop runs, is hindered for all readers", async (t) => {
    const contract = ["validators: [{ name: tests, command: [no-such-program] }]"];
    const missing = await look(t, { contract });
    assert.match(missing.run ?? "", /no-such-program/);
    assert.equal(missing.board, missing.run);
    const both = await look(t, { contract, unavailable: "no model is configured" });
    assert.deepEqual([both.run, both.board], [missing.run, missing.run], "a run looks for its checks first");
    const repo = { "good.txt": "", ".claude/ralph-loop.local.md": "---\nactive: true\n---\n" };
    const other = await look(t, { repo });
    assert.deepEqual(
      [other.run, other.board],
      Array(2).fill("another loop is active in the repo: /repo/.claude/ralph-loop.local.md"),
    );
  });

  test("whose repo is not found is hindered as it is, but not on the board, since a run may name another", async (t) => {
    const { run, board } = await look(t, { contract: [validator], gone: true });
    const fix = "correct `repo` in the front matter of README.md, or --repo";
    assert.deepEqual([run, board], [`the repo is not a folder: /repo; ${fix}`, null]);
  });
});

describe("the budget of the day", () => {
  const spent = (costUsd: number, on = at): Partial<TaskSpec> => ({
    events: async (place) => [
      ...(await eventsAt("implement", place)),
      verdictEvent("implement", "implement", place, { cost_usd: costUsd, at: on }),
    ],
  });
  const budget = "budget: { day: { money_usd: 2 } }\n";

  test("hinders until the next day if no model fits into what is left", async (t) => {
    const { full, board } = await look(t, { ...spent(2), config: budget });
    assert.deepEqual([full?.until, board], ["2026-01-03T00:00:00.000Z", null]);
    assert.match(full?.why ?? "", /^2\.00 USD of 2\.00 USD are spent, all of `budget\.day\.money_usd`$/);
  });

  test("does not hinder as long as something is left, or if it was spent on another day", async (t) => {
    assert.equal((await look(t, { ...spent(1), config: budget })).run, null);
    assert.equal((await look(t, { ...spent(2, "2026-01-01T23:00:00.000Z"), config: budget })).run, null);
    assert.equal((await look(t, spent(2))).run, null);
  });

  test("in money over a model whose cost cannot be known hinders as a run refuses it, and so does a task's own", async (t) => {
    const words = (where: string, key: string) =>
      `${where} sets \`${key}\`, and what a pass of model prepared costs cannot be known before it has reported one; ` +
      `add \`estimate_usd:\` or \`price:\` to the model, or remove \`${key}\` from ${where}`;
    assert.equal((await look(t, { config: budget })).run, words("task-phase.yaml", "budget.day.money_usd"));
    const contract = [validator, "budget: { money_usd: 5 }"];
    assert.equal((await look(t, { contract })).run, words("the brief", "budget.money_usd"));
    assert.equal((await look(t, { contract, model: ", estimate_usd: 1" })).run, null);
  });

  test("does not hinder if another model still fits", async (t) => {
    const dear = ", estimate_usd: 5";
    const one = await look(t, { ...spent(1), model: dear, config: budget });
    assert.match(one.run ?? "", /estimated at 5\.00 USD/);
    const cheap = "  - { name: cheap, adapter: command, command: [cat], estimate_usd: 0.1 }\n";
    assert.equal((await look(t, { ...spent(1), model: dear, config: cheap + budget })).run, null);
  });
});

test("tasks that name one folder share the look-up of their repo, and a folder in the root is looked up for each", async (t) => {
  const world = makeTaskWorld(t);
  const { folder } = await world.makeTask("one", { state: { phase: "intake" } });
  const ports = portsOf(world);
  const [task] = inspectRoot(`${folder}/tasks`, null, ports, false);
  assert.ok(task !== undefined);
  const repos = watchRepos(ports);
  const named = (repo: string | null, more: Partial<InspectedTask> = {}) => {
    const contract =
      task.contract === null ? null : { ...task.contract, contract: { ...task.contract.contract, repo } };
    return repos({ ...task, contract, ...more });
  };
  assert.equal(named("../../repo"), `${folder}/repo`);
  assert.equal(named("../../none"), null);
  assert.equal(named("../../repo"), `${folder}/repo`);
  assert.equal(named(null, { hasGit: false }), null);
  assert.equal(repos({ ...task, contract: null }), null);
});

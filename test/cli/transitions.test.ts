import assert from "node:assert/strict";
import { test } from "node:test";
import { type Phase, phaseNames, phases } from "../../lib/rules/phases.ts";
import { fieldOf } from "./task-states.ts";
import { makeTaskWorld, type TaskWorld } from "./task-world.ts";
import { arrange, propose, stagesTo } from "./transition-case.ts";

/** Two processes at a time: the machines that run this have two cores. */
const concurrency = 2;

const stops: Readonly<Partial<Record<Phase, readonly [number, string]>>> = {
  done: [0, "ok"],
  blocked: [21, "blocked"],
  needs_user_decision: [22, "needs_user_decision"],
};

/** The illegal pairs that go through a whole pass; test/rules/decide.test.ts holds all of them. */
const refused: Readonly<Record<Phase, readonly Phase[]>> = {
  intake: ["done"],
  shape: ["done"],
  implement: ["done"],
  verify: ["implement"],
  review: ["implement"],
  repair: ["done"],
  done: ["implement"],
  blocked: ["implement"],
  needs_user_decision: ["implement"],
};

test("whole passes are accepted or rejected as the table says", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const pairs = phaseNames.flatMap((from) => {
    const { next } = phases[from];
    return [...next, ...(next.length === 0 ? [] : [from]), ...refused[from]].map((to) => ({ from, to }));
  });
  await Promise.all(pairs.map(({ from, to }) => t.test(`${from} → ${to}`, () => judgePair(world, from, to))));
});

async function judgePair(world: TaskWorld, from: Phase, to: Phase): Promise<void> {
  const task = await arrange(world, `${from}-${to}`, from);
  task.propose(propose(from, to));
  const before = task.state();
  const report = await task.pass();
  const { verdict, exit_code, exit_name, from: stood, proposed, to: landed } = report;
  const told = { verdict, exit_code, exit_name, from: stood, proposed, to: landed };
  const stages = report.stages.map(({ stage }) => stage);
  const [code, name] = stops[to] ?? [0, "ok"];
  if (phases[from].next.length === 0) {
    const [held, why] = stops[from] ?? [0, "ok"];
    assert.deepEqual(told, { verdict: null, exit_code: held, exit_name: why, from, proposed: null, to: from });
    assert.equal(task.calls(), 0, "a terminal phase calls no model");
    assert.equal(task.state(), before);
    return;
  }
  assert.equal(task.calls(), 1);
  assert.deepEqual(stages, stagesTo(from, landed as Phase));
  if (from !== to && !phases[from].next.includes(to)) {
    assert.deepEqual(told, { verdict: "rejected", exit_code: 20, exit_name: "rejected", from, proposed: to, to: from });
    assert.match(
      report.reason,
      new RegExp(`^${from} → ${to} is not allowed; from ${from} a pass may propose ${from}, `),
    );
    assert.equal(task.state(), before);
    return;
  }
  assert.deepEqual(
    told,
    { verdict: "accepted", exit_code: code, exit_name: name, from, proposed: to, to },
    report.reason,
  );
  assert.equal(fieldOf(task.state(), "Phase"), to);
  assert.match(task.state(), new RegExp(`tried ${from} → ${to}`));
}

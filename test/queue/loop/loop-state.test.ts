import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoopPorts, LoopRequest } from "../../../lib/queue/loop/loop-request.ts";
import {
  beginState,
  costOf,
  type LoopState,
  notesRoot,
  passesAreDone,
  rootOf,
} from "../../../lib/queue/loop/loop-state.ts";

const noon = new Date("2026-11-21T12:00:00.000Z");
const ports = { now: () => noon, newRunId: () => "run-1" } as unknown as LoopPorts;
const request = (more: Partial<LoopRequest> = {}) =>
  ({ target: { kind: "task", taskDir: "/tasks/T-1" }, maxMs: null, maxPasses: null, ...more }) as LoopRequest;

test("a call begins with nothing done, and with its deadline if it has one", () => {
  const state = beginState(request({ maxMs: 1_500 }), ports);
  assert.deepEqual([state.run, state.began, state.deadline], ["run-1", noon, new Date("2026-11-21T12:00:01.500Z")]);
  assert.deepEqual(
    [state.passes, state.findings, state.left.size, state.happened, state.live],
    [[], [], 0, false, null],
  );
  assert.equal(beginState(request(), ports).deadline, null);
});

test("the notes of a call are in the root of its target, unless they are kept elsewhere", () => {
  assert.equal(rootOf({ kind: "root", tasksRoot: "/x" }), "/x");
  assert.equal(notesRoot({ request: request(), ports }), "/tasks");
  assert.equal(notesRoot({ request: request(), ports: { ...ports, runtimeRoot: "/other" } }), "/other");
});

test("passes that run count as done, and those that reached no model do not", () => {
  const done = (maxPasses: number | null, verdicts: readonly (string | null)[], running = 0) => {
    const passes = verdicts.map((verdict) => ({ verdict, details: { end: null } })) as unknown as LoopState["passes"];
    const runs = new Map(Array.from({ length: running }, (_, at) => [`${at}`, null as never]));
    return passesAreDone({ request: request({ maxPasses }), passes, running: runs });
  };
  assert.equal(done(null, ["accepted", "accepted"], 9), false);
  assert.deepEqual(
    [done(2, ["accepted"]), done(2, ["accepted", "rejected"]), done(2, ["accepted"], 1)],
    [false, true, true],
  );
  assert.deepEqual(
    [done(2, ["accepted", "unavailable"]), done(1, ["unavailable"]), done(1, [null])],
    [false, false, true],
  );
});

test("a pass without a model does not count, also where it ended a call of its own", () => {
  const passes = ["no_model", "exited"].map((kind) => ({ verdict: "accepted", details: { end: { kind } } }));
  const state = { request: request({ maxPasses: 2 }), passes, running: new Map() };
  assert.equal(passesAreDone(state as unknown as Parameters<typeof passesAreDone>[0]), false);
});

test("the cost of a call is the sum of what is known", () => {
  const cost = (...known: readonly (number | null)[]) => {
    const state = beginState(request(), ports);
    for (const [at, knownUsd] of known.entries())
      state.worked.set(`${at}`, { spend: { knownUsd, unknown: 0 } } as unknown as Parameters<
        typeof state.worked.set
      >[1]);
    return costOf(state);
  };
  assert.deepEqual([cost(), cost(null), cost(0.25, 0.5), cost(0.25, null)], [null, null, 0.75, 0.25]);
});

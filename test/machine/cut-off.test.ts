import assert from "node:assert/strict";
import { test } from "node:test";
import { countCutOff } from "../../lib/machine/cut-off.ts";
import type { TaskEvent } from "../../lib/machine/events.ts";

const runner = (attempt: string) => ({ worker: "w", host: null, attempt, task_phase: "0", node: "v20" });
const started = (pass: number, attempt: string) =>
  ({ type: "pass_started", pass, runner: runner(attempt) }) as unknown as TaskEvent;
const claimed = (pass: number, attempt: string) =>
  ({ type: "claimed", pass, runner: runner(attempt) }) as unknown as TaskEvent;
const ended = (pass: number, end: object) => ({ type: "verdict", pass, end }) as unknown as TaskEvent;
const killed = { kind: "interrupted", reason: "the runner was cut off before a verdict", cause: "cut_off" };

test("passes whose runner was killed are counted up to the newest", () => {
  assert.equal(countCutOff([]), 0);
  assert.equal(countCutOff([started(1, "a"), ended(1, killed), started(2, "b"), ended(2, killed)]), 2);
});

test("a pass that ended, well or not, and a run that was stopped in order begin the count anew", () => {
  const before = [started(1, "a"), ended(1, killed)];
  for (const end of [
    { kind: "exited", exit_code: 1 },
    { kind: "timed_out" },
    { ...killed, cause: "signal" },
    { ...killed, cause: "abort" },
  ]) {
    assert.equal(countCutOff([...before, started(2, "b"), ended(2, end)]), 0, JSON.stringify(end));
  }
});

test("a claim that came before reviewers counts once it is taken over, and not if it was released", () => {
  assert.equal(countCutOff([claimed(1, "a"), claimed(1, "b"), started(1, "b")]), 1);
  assert.equal(countCutOff([claimed(1, "a"), claimed(1, "b")]), 2);
  assert.equal(countCutOff([claimed(1, "a"), { type: "released", at: "", pass: 1 }]), 0);
  assert.equal(countCutOff([claimed(1, "a"), started(1, "a")]), 0);
});

test("a person's word begins the count anew", () => {
  for (const type of ["brief_changed", "state_edited", "resumed", "answered", "controlled"])
    assert.equal(countCutOff([started(1, "a"), ended(1, killed), { type } as unknown as TaskEvent]), 0, type);
});

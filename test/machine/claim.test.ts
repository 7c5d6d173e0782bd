import assert from "node:assert/strict";
import { test } from "node:test";
import { countCutOff, findClaim, isHeld, nameRunner } from "../../lib/machine/claim.ts";
import type { TaskEvent } from "../../lib/machine/events.ts";

const runner = { worker: "w", host: null, attempt: "a", task_phase: "0.1.0", node: "20" };

function started(pass: number, at: string, more: object = {}): TaskEvent {
  const of = { phase: "intake", model: "m", estimate_usd: null, prompt_sha256: "p", fingerprint: "f", runner };
  return { type: "pass_started", at, pass, ...of, ...more } as TaskEvent;
}

const closed = (pass: number) => ({ type: "verdict", pass }) as TaskEvent;
const at = "2026-11-21T10:00:00.000Z";

test("the last pass that began is open until its own verdict", () => {
  assert.equal(findClaim([]), null);
  assert.equal(findClaim([started(1, at), closed(1)]), null);
  assert.equal(findClaim([started(1, at), closed(1), started(2, at)])?.pass, 2);
  assert.equal(findClaim([started(1, at), closed(1), started(2, at), closed(2)]), null);
});

test("it holds for the time of its model and a minute", () => {
  assert.equal(findClaim([started(1, at, { timeout_ms: 1_000 })])?.until, "2026-11-21T10:01:01.000Z");
});

test("a time that no clock comes to holds nothing", () => {
  assert.equal(findClaim([started(1, at, { timeout_ms: 1e300 })])?.until, at);
  assert.equal(findClaim([started(1, at, { timeout_ms: -1e300 })])?.until, at);
});

test("it is held before its end, not at it, and by a named runner alone", () => {
  const until = "2026-11-21T10:31:00.000Z";
  const ms = Date.parse(until);
  assert.deepEqual(
    [ms - 1, ms, ms + 1].map((now) => isHeld({ until, runner }, new Date(now))),
    [true, false, false],
  );
  assert.equal(isHeld({ until, runner: null }, new Date(0)), false);
});

test("a claim that comes before baseline and reviewers is open until it is released or its pass has a verdict", () => {
  const ahead = started(1, at, { type: "claimed", timeout_ms: 120_000, reviewers: 1 });
  const released = { type: "released", at, pass: 1 } as TaskEvent;
  assert.deepEqual([findClaim([ahead])?.until, findClaim([ahead])?.runner?.attempt], ["2026-11-21T10:03:00.000Z", "a"]);
  assert.equal(findClaim([ahead, started(1, at, { timeout_ms: 1_000 })])?.until, "2026-11-21T10:01:01.000Z");
  assert.equal(findClaim([ahead, released]), null);
  assert.equal(findClaim([ahead, started(1, at), closed(1)]), null);
});

test("a runner without a name is named after its host, and without both it is an unnamed one", () => {
  const named = (worker: string, host: string | null) => nameRunner({ worker, host });
  assert.deepEqual(
    [named("w", null), named("w", "h"), named("h", "h"), named("unnamed", "h"), named("unnamed", null)],
    ["w", "w on h", "h", "h", "an unnamed runner"],
  );
});

const runnerOf = (attempt: string) => ({ worker: "w", host: null, attempt, task_phase: "0", node: "v20" });
const startedBy = (pass: number, attempt: string) =>
  ({ type: "pass_started", pass, runner: runnerOf(attempt) }) as unknown as TaskEvent;
const claimed = (pass: number, attempt: string) =>
  ({ type: "claimed", pass, runner: runnerOf(attempt) }) as unknown as TaskEvent;
const ended = (pass: number, end: object) => ({ type: "verdict", pass, end }) as unknown as TaskEvent;
const killed = { kind: "interrupted", reason: "the runner was cut off before a verdict", cause: "cut_off" };

test("passes whose runner was killed are counted up to the newest", () => {
  assert.equal(countCutOff([]), 0);
  assert.equal(countCutOff([startedBy(1, "a"), ended(1, killed), startedBy(2, "b"), ended(2, killed)]), 2);
});

test("a pass that ended, well or not, and a run that was stopped in order begin the count anew", () => {
  const before = [startedBy(1, "a"), ended(1, killed)];
  for (const end of [
    { kind: "exited", exit_code: 1 },
    { kind: "timed_out" },
    { ...killed, cause: "signal" },
    { ...killed, cause: "abort" },
  ]) {
    assert.equal(countCutOff([...before, startedBy(2, "b"), ended(2, end)]), 0, JSON.stringify(end));
  }
});

test("a claim that came before reviewers counts once it is taken over, and not if it was released", () => {
  assert.equal(countCutOff([claimed(1, "a"), claimed(1, "b"), startedBy(1, "b")]), 1);
  assert.equal(countCutOff([claimed(1, "a"), claimed(1, "b")]), 2);
  assert.equal(countCutOff([claimed(1, "a"), { type: "released", at: "", pass: 1 }]), 0);
  assert.equal(countCutOff([claimed(1, "a"), startedBy(1, "a")]), 0);
});

test("a person's word begins the count anew", () => {
  for (const type of ["brief_changed", "state_edited", "resumed", "answered", "controlled"])
    assert.equal(countCutOff([startedBy(1, "a"), ended(1, killed), { type } as unknown as TaskEvent]), 0, type);
});

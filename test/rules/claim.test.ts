import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addUsage, noUsage } from "../../lib/rules/budgets.ts";
import { countCutOff, findClaim, isHeld, nameRunner, readAttempts } from "../../lib/rules/claim.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { readUsage } from "../../lib/rules/usage.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { passStarted, verdictEvent } from "./arrange.ts";

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

test("a claim until an impossible time does not hold", () => {
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

test("a claim that comes before first checks and reviewers is open until it is released or its pass has a verdict", () => {
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

describe("the attempts of a journal", () => {
  const place = { state: "", contract: "", repo: "" };
  const at = "2026-01-05T12:00:00.000Z";

  function started(pass: number, attempt: string | null): TaskEvent {
    const runner = { worker: "w", host: null, attempt: attempt ?? "", task_phase: "0", node: "v20" };
    return passStarted(pass, { at, estimate_usd: 0.5, ...(attempt === null ? {} : { runner }) });
  }

  function ended(pass: number, changes: Partial<VerdictEvent> = {}): TaskEvent {
    return verdictEvent("implement", "implement", place, { at, pass, model: "mine", duration_ms: 1_000, ...changes });
  }

  const reviewed = (pass: number): TaskEvent => ({
    ...{ type: "reviewed", at, pass, phase: "review", role: "tests", fingerprint: "", frame: "F", problem: null },
    ...{ findings: [], model: "mine", estimate_usd: null, duration_ms: 10, cost_usd: 0.125 },
    end: { kind: "exited", exit_code: 0, signal: null, result_event: true },
    tokens: { input: 5, output: 1 },
  });

  test("each claimed pass has the charges of its verdict and of its reviewers, which may work before it begins", () => {
    const events = [
      started(1, "a"),
      ended(1, { cost_usd: 0.25, tokens: { input: 100, output: 10 } }),
      reviewed(2),
      started(2, "b"),
      reviewed(2),
      ended(2, {
        verdict: "interrupted",
        end: { kind: "interrupted", reason: "cut off", cause: "signal" },
        model: null,
      }),
    ];
    assert.deepEqual(readAttempts(events), [
      { attempt: "a", pass: 1, used: { passes: 1, moneyUsd: 0.25, tokens: 110, timeMs: 1_000 } },
      { attempt: "b", pass: 2, used: { passes: 0, moneyUsd: 0.75, tokens: 12, timeMs: 1_020 } },
    ]);
    const sum = readAttempts(events).reduce((total, { used }) => addUsage(total, used ?? noUsage), noUsage);
    assert.deepEqual(sum, readUsage(events).days.get("2026-01-05"), "the sums agree with those of the budgets");
  });

  test("a pass without a verdict is open, and an unclaimed one is no attempt", () => {
    const events = [started(1, null), ended(1, { cost_usd: 1 }), started(2, "a"), reviewed(2)];
    assert.deepEqual(readAttempts(events), [{ attempt: "a", pass: 2, used: null }]);
  });

  const claimed = (pass: number, attempt: string, reviewers = 2): TaskEvent => ({
    ...{ type: "claimed", at, pass, phase: "review", model: "mine", estimate_usd: 0.5, reviewers, timeout_ms: 60_000 },
    runner: { worker: "w", host: null, attempt, task_phase: "0", node: "v20" },
  });
  const released = (pass: number): TaskEvent => ({ type: "released", at, pass });

  test("a claim that another attempt takes over is charged for its reviewers, and its own pass for none of them", () => {
    const events = [claimed(1, "a"), claimed(1, "b"), reviewed(1), started(1, "b"), ended(1, { cost_usd: 0.25 })];
    assert.deepEqual(
      readAttempts(events).map(({ attempt, used }) => [attempt, used?.moneyUsd]),
      [
        ["a", 1],
        ["b", 0.375],
      ],
    );
    const sum = readAttempts(events).reduce((total, { used }) => addUsage(total, used ?? noUsage), noUsage);
    assert.deepEqual(sum, readUsage(events).days.get("2026-01-05"));
    const whole = [claimed(1, "a"), started(1, null), ended(1, { cost_usd: 0.25 })];
    assert.equal(readAttempts(whole)[0]?.used?.moneyUsd, 1, "a run that claims nothing takes it over too");
  });

  test("a claim is open until its pass has a verdict, and a released one is charged for what its reviewers said", () => {
    assert.deepEqual(readAttempts([claimed(1, "a")]), [{ attempt: "a", pass: 1, used: null }]);
    assert.equal(readAttempts([claimed(1, "a"), started(1, "a")])[0]?.used, null);
    assert.equal(readAttempts([claimed(1, "a"), reviewed(1), released(1)])[0]?.used?.moneyUsd, 0.125);
    const again = [claimed(1, "a"), released(1), claimed(1, "b", 0), started(1, "b")];
    assert.deepEqual(
      readAttempts(again).map(({ attempt, used }) => [attempt, used?.moneyUsd]),
      [
        ["a", 0],
        ["b", undefined],
      ],
    );
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { findLimit, type ModelEnd, noAnswer, renderTrouble, untoldTrouble } from "../../lib/rules/model-end.ts";

const well = { kind: "exited", exit_code: 0, signal: null, result_event: true } as const;

test("a bad end is described by its exit code, its signal or the missing result, and by its own words", () => {
  const told = (end: Partial<Extract<ModelEnd, { kind: "exited" }>>) => renderTrouble({ ...well, ...end });
  assert.deepEqual(
    [
      told({ exit_code: 3, said: "boom" }),
      told({ exit_code: 3, said: null }),
      told({ exit_code: null, signal: "SIGSEGV", said: null }),
      told({ said: "boom" }),
      told({ result_event: false, said: "Usage: pi" }),
    ],
    [
      "ended with exit code 3: boom",
      "ended with exit code 3",
      "was killed by signal SIGSEGV",
      "ended with an error: boom",
      "ended without a result: Usage: pi",
    ],
  );
});

test("an end that was good or that the runner made is no trouble", () => {
  assert.equal(renderTrouble(well), null);
  assert.equal(renderTrouble({ kind: "timed_out", timeout_ms: 1 }), null);
});

test("a model's trouble that the reason of the verdict mentions is not repeated", () => {
  const end = { ...well, exit_code: 1, said: "boom" };
  assert.equal(untoldTrouble({ verdict: "accepted", end }), "ended with exit code 1: boom");
  assert.equal(untoldTrouble({ verdict: "unavailable", end }), null);
  assert.equal(untoldTrouble({ verdict: "no_progress", end }), null);
});

test("a model cools down for its own limit or for no answer, and for nothing else", () => {
  const other = { code: "timeout", text: "it took too long" };
  const waited = { code: noAnswer, text: "nothing came within 5m" };
  const limited = { kind: "limited", cause: "rate_limit", reason: "429", until: "2026-01-02T03:04:05Z" } as const;
  assert.deepEqual(findLimit({ end: limited, reasons: [waited] }), limited);
  const timedOut = { kind: "timed_out", timeout_ms: 1 } as const;
  assert.deepEqual(findLimit({ end: timedOut, reasons: [other, waited] }), { reason: waited.text, until: null });
  assert.equal(findLimit({ end: timedOut, reasons: [other] }), null);
  assert.equal(findLimit({ end: well, reasons: [] }), null);
});

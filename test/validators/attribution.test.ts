import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckStatus } from "../../lib/machine/facts.ts";
import { attributeResult } from "../../lib/validators/attribution.ts";

const statuses: CheckStatus[] = ["pass", "fail", "timeout", "not_started"];
const against = (before: CheckStatus) => statuses.map((now) => attributeResult("a", now, new Map([["a", before]])));

test("what passed in the baseline is clean or regressed", () => {
  assert.deepEqual(against("pass"), ["clean", "regressed", "regressed", "regressed"]);
});

test("what did not pass in the baseline is fixed or was broken before", () => {
  const expected = ["fixed", "broken_before", "broken_before", "broken_before"];
  assert.deepEqual(statuses.slice(1).map(against), [expected, expected, expected]);
});

test("without a baseline, or where it does not know the check, nothing is attributed", () => {
  assert.deepEqual(
    [attributeResult("a", "pass", null), attributeResult("a", "fail", new Map([["b", "pass"]]))],
    [null, null],
  );
});

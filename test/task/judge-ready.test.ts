import assert from "node:assert/strict";
import { test } from "node:test";
import type { Contract } from "../../lib/documents/contract.ts";
import { judgeReady } from "../../lib/task/judge-ready.ts";

/** The codes for a brief with these checks, each required or not. */
function codes(required: readonly boolean[], isEmpty: boolean, lastPass = 0): string[] {
  const validators = required.map((one) => ({ required: one })) as unknown as Contract["validators"];
  return judgeReady({ contract: { validators }, isEmpty }, { readme: "/README.md", lastPass }).map((finding) => {
    assert.deepEqual([finding.severity, finding.file], ["error", "/README.md"]);
    return finding.code;
  });
}

test("a brief needs a required validator and words before its first pass, and nothing later", () => {
  assert.deepEqual(codes([false, true], false), []);
  assert.deepEqual(codes([false], false), ["TP_NO_CHECK"]);
  assert.deepEqual(codes([true], true), ["TP_BRIEF_EMPTY"]);
  assert.deepEqual(codes([], true), ["TP_NO_CHECK", "TP_BRIEF_EMPTY"]);
  assert.deepEqual(codes([], true, 1), []);
});

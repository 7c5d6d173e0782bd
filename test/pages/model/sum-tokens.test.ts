import assert from "node:assert/strict";
import { test } from "node:test";
import { sumTokens } from "../../../lib/pages/model/sum-tokens.ts";
import type { ModelEnd } from "../../../lib/rules/model-end.ts";
import { passStarted, reported, verdictEvent } from "../../rules/arrange.ts";

const exited: ModelEnd = { kind: "exited", exit_code: 0, signal: null, result_event: true };
const verdict = (input: number | null, output: number | null, end: ModelEnd = exited) =>
  verdictEvent("implement", "implement", { state: "", contract: "" }, { tokens: { input, output }, end });

test("the tokens of passes and reviews are added up, as far as they are known", () => {
  const review = reported({ tokens: { input: 5, output: 1 }, end: exited });
  assert.deepEqual(sumTokens([passStarted(1), verdict(10, 2), review, verdict(3, null)]), {
    ...{ tokens: 21, unknownTokens: 0 },
  });
});

test("nothing said is something else than nothing used, and only a call that may have used some is counted", () => {
  assert.deepEqual(sumTokens([]), { tokens: null, unknownTokens: 0 });
  assert.deepEqual(sumTokens([verdict(null, null), verdict(0, 0)]), { tokens: 0, unknownTokens: 1 });
  const unstarted: ModelEnd = { kind: "not_started", reason: "gone" };
  assert.deepEqual(sumTokens([verdict(null, null, unstarted)]), { tokens: null, unknownTokens: 0 });
});

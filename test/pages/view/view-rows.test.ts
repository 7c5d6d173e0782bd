import assert from "node:assert/strict";
import { test } from "node:test";
import type { EvidenceModel } from "../../../lib/pages/model/build-model.ts";
import type { ReviewRow } from "../../../lib/pages/model/list-reviews.ts";
import type { PassRow } from "../../../lib/pages/model/passes.ts";
import { viewCode, viewPass, viewReview } from "../../../lib/pages/view/view-rows.ts";

const at = "2026-11-21T10:00:05.000Z";
const none = { input: null, output: null };

const review = (more: object = {}) =>
  viewReview({
    ...{ role: "tests", model: "mine", phase: "review", pass: 3, at, about: "present", problem: null, findings: [] },
    ...{
      counts: { blocking: 0, major: 0, minor: 0, note: 0 },
      report: "r",
      fingerprint: "f",
      durationMs: 1_000,
      costUsd: null,
    },
    ...{ tokens: none },
    ...more,
  } as unknown as ReviewRow);

test("a review is good if it is of the present state, can be read and blocks nothing", () => {
  const finding = (severity: string) => ({ severity, text: `a ${severity} one` });
  const good = review();
  assert.deepEqual(
    [good.good, good.result, good.took, good.where],
    [true, "no findings", "1s", "review, before pass 3"],
  );
  const mixed = review({
    findings: [finding("blocking"), finding("minor")],
    counts: { blocking: 1, major: 0, minor: 2, note: 0 },
  });
  assert.deepEqual(
    [mixed.good, mixed.result, mixed.blocking, mixed.others.length],
    [false, "1 blocking, 2 minor", ["a blocking one"], 1],
  );
  const unread = review({ problem: "it is empty" });
  assert.deepEqual([unread.good, unread.result], [false, "no readable report: it is empty"]);
  for (const about of ["earlier", "void"])
    assert.deepEqual([review({ about }).good, review({ about }).current], [false, false]);
});

test("the commit is linked if its host is known, and says what keeps a reader from seeing exactly this code", () => {
  const code = (more: object = {}) =>
    viewCode({
      ...{ commit: "9a01b22".padEnd(40, "0"), branch: "main", pushed: true, dirty: false, changedBy: null, pass: 3 },
      ...{ web: "https://example.org/o/r", kind: "github" },
      ...more,
    } as unknown as EvidenceModel["code"]);
  const plain = code();
  assert.match(plain?.href ?? "", /^https:\/\/example\.org\/o\/r\/.*9a01b22/);
  assert.deepEqual([plain?.commit, plain?.labels], ["9a01b2200000", []]);
  assert.deepEqual([code({ web: null })?.href, code({ kind: null })?.href], ["", ""]);
  assert.deepEqual(code({ pushed: false, dirty: true })?.labels, [
    ...["not pushed yet", "with uncommitted changes that no pass made"],
  ]);
  assert.deepEqual(code({ dirty: true, changedBy: 4 })?.labels, ["with the changes of pass 4 on top"]);
  assert.deepEqual([code({ pushed: null, dirty: null })?.labels, code({ branch: null })?.branch], [[], ""]);
  assert.deepEqual([code({ commit: null }), viewCode(null)], [null, null]);
});

const pass = (more: Partial<PassRow> = {}) =>
  viewPass({
    ...{ pass: 3, at, model: "mine", from: "verify", proposed: "review", to: "review", verdict: "accepted" },
    ...{ reason: "every gate holds", made: [], failed: [], trouble: null, escalation: null, checks: null },
    ...{ durationMs: null, costUsd: null, tokens: none, degrade: [], reviews: null, warned: [] },
    ...{ overridden: [], tampering: [], changed: 0, record: null },
    ...more,
  } as PassRow);

test("a pass has a note for each thing that a reader should know of it", () => {
  assert.deepEqual(pass().notes, []);
  assert.deepEqual(
    pass({ trouble: "crashed", warned: ["too broad"], tampering: ["a", "b"], overridden: ["Phase"] }).notes,
    ["the model crashed", "too broad", "restored: a, b", "overridden: Phase"],
  );
  assert.deepEqual([pass({ from: "" }).move, pass({ verdict: "no_progress" }).verdict], ["not judged", "no progress"]);
  assert.deepEqual([pass().good, pass({ verdict: "redirected" }).good], [true, false]);
  assert.equal(pass({ checks: { passed: 1, ran: 2 } }).checks, "1 of 2 checks passed");
  assert.equal(pass({ degrade: ["cheap_tier", "no_self_review"] }).degrade, "cheap tier, no self-review");
});

test("time, cost and tokens of a pass are shown only if somebody reported them", () => {
  assert.equal(pass().took, "");
  const all = { durationMs: 90_000, costUsd: 0.5, tokens: { input: 1_200, output: 3 } };
  const reviews = { count: 2, costUsd: 1, unknownCosts: 0 };
  assert.equal(pass({ ...all, reviews }).took, "1m30s, 0.50 USD, 1.00 USD for 2 reviews, 1.2k in, 3 out");
  assert.equal(pass({ tokens: { input: 0, output: null }, reviews: { ...reviews, costUsd: null } }).took, "");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { distinctFindings, errorFinding, hasErrors, infoFinding, warningFinding } from "../../lib/text/finding.ts";

test("a finding has its severity, and null for each part of its place that is not known", () => {
  const bare = { code: "TP_A", message: "a", file: null, line: null, column: null, fix: null };
  assert.deepEqual(
    [errorFinding("TP_A", "a"), warningFinding("TP_A", "a"), infoFinding("TP_A", "a", {})],
    ["error", "warning", "info"].map((severity) => ({ severity, ...bare })),
  );
  const place = { file: "a.md", line: 0, column: 2, fix: "" };
  assert.deepEqual(errorFinding("TP_A", "a", place), { severity: "error", code: "TP_A", message: "a", ...place });
});

test("findings that are alike in every part are shown once, in the order of the first", () => {
  const [one, other] = [errorFinding("TP_A", "a", { line: 1 }), errorFinding("TP_A", "a", { line: 2 })];
  assert.deepEqual(distinctFindings([one, other, { ...one }, warningFinding("TP_A", "a", { line: 1 })]), [
    one,
    other,
    { ...one, severity: "warning" },
  ]);
  assert.deepEqual(distinctFindings([]), []);
});

test("only an error counts as one", () => {
  assert.equal(hasErrors([]), false);
  assert.equal(hasErrors([warningFinding("TP_A", "a"), infoFinding("TP_A", "a")]), false);
  assert.equal(hasErrors([infoFinding("TP_A", "a"), errorFinding("TP_A", "a")]), true);
});

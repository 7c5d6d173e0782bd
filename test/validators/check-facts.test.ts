import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { attributeResult, excerptOf, nameLogs } from "../../lib/checks/runs/check-facts.ts";
import type { CheckStatus } from "../../lib/rules/check-run.ts";
import { createRedactor } from "../../lib/text/redact.ts";

test("a log is named after its check", () => {
  assert.deepEqual(nameLogs(["tests", "type check", "e2e/web: login", "v1.2"]), [
    "tests.log",
    "type-check.log",
    "e2e-web-login.log",
    "v1.2.log",
  ]);
});

test("names that would meet are numbered, also where only letter case tells them apart", () => {
  assert.deepEqual(nameLogs(["lint", "Lint", "lint!", "lint-2"]), [
    "lint.log",
    "Lint-2.log",
    "lint-3.log",
    "lint-2-2.log",
  ]);
});

test("any names give safe and different files", () => {
  assert.deepEqual(nameLogs(["../..", "проверка", "", "\0"]), [
    "check.log",
    "check-2.log",
    "check-3.log",
    "check-4.log",
  ]);
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (names) => {
      const files = nameLogs(names);
      assert.equal(new Set(files.map((file) => file.toLowerCase())).size, names.length);
      for (const file of files) assert.match(file, /^[A-Za-z0-9_][A-Za-z0-9._-]{0,70}\.log$/);
    }),
  );
});

const statuses: CheckStatus[] = ["pass", "fail", "timeout", "not_started"];
const against = (before: CheckStatus) => statuses.map((now) => attributeResult("a", now, new Map([["a", before]])));

test("what passed before the work is clean or regressed", () => {
  assert.deepEqual(against("pass"), ["clean", "regressed", "regressed", "regressed"]);
});

test("what did not pass before the work is fixed or was broken before", () => {
  const expected = ["fixed", "broken_before", "broken_before", "broken_before"];
  assert.deepEqual(statuses.slice(1).map(against), [expected, expected, expected]);
});

test("without results before the work, or where it does not know the check, nothing is attributed", () => {
  assert.deepEqual(
    [attributeResult("a", "pass", null), attributeResult("a", "fail", new Map([["b", "pass"]]))],
    [null, null],
  );
});

const plain = createRedactor({});

test("a short output is shown whole, without colours and empty ends", () => {
  assert.equal(excerptOf("\n\u001b[31m1 failing\u001b[0m\r\n  at a.js\n\n", plain), "1 failing\n  at a.js");
});

test("a long output is shown by its last whole lines, at most 2,000 characters", () => {
  const all = Array.from({ length: 500 }, (_, n) => `line ${n}`).join("\n");
  const excerpt = excerptOf(all, plain);
  assert.ok(excerpt.length <= 2_000 && excerpt.length > 1_900);
  assert.match(excerpt, /^line \d+\n/);
  assert.ok(all.endsWith(excerpt));
});

test("one long line is shown by its end", () => {
  assert.equal(excerptOf(`${"a".repeat(9_000)}z`, plain), `${"a".repeat(1_999)}z`);
  assert.equal(excerptOf(`x${"😀".repeat(1_000)}a`, plain), `${"😀".repeat(999)}a`);
});

test("control characters are written out", () => {
  assert.equal(excerptOf("a\u0007b\u202ec", plain), "a\\x07b\\u{202e}c");
});

test("a secret that was hidden by a colour in its middle is redacted", () => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  assert.equal(excerptOf("key correct-\u001b[1mhorse-battery.", redactor), "key [redacted:env].");
});

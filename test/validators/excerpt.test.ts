import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "../../lib/text/redact.ts";
import { excerptOf } from "../../lib/validators/excerpt.ts";

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

import assert from "node:assert/strict";
import { test } from "node:test";
import { cutLong, fitRows, htmlBytes, pageBudget } from "../../../lib/pages/page/page-budget.ts";

test("the shares of the page leave room for its own text", () => {
  const shares = Object.values(pageBudget).reduce((sum, share) => sum + share, 0);
  assert.ok(shares < 4_930_000, String(shares));
});

test("rows are taken while they fit, from the end where the newest count, and a long text is cut", () => {
  const rows = ["aa", "bb", "cc"];
  assert.deepEqual(fitRows(rows, { share: 10, markup: 2 }), { rows: ["aa", "bb"], more: 1 });
  assert.deepEqual(fitRows(rows, { share: 10, markup: 2, newest: true }), { rows: ["bb", "cc"], more: 1 });
  const [row] = fitRows([{ a: ["x".repeat(4000)], b: 1, c: null }], { share: 9000, markup: 0 }).rows;
  assert.equal(row?.a[0], `${"x".repeat(3000)}… (1000 more characters)`);
  assert.equal(cutLong("ab\u{1f600}c", 3), "ab… (3 more characters)");
  assert.equal(htmlBytes(`a<>&"'é\u0000`), Buffer.byteLength("a&lt;&gt;&amp;&quot;&#39;é\\x00"));
});

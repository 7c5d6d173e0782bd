import assert from "node:assert/strict";
import { test } from "node:test";
import { addToAssumptions, isFirstAssumption } from "../../lib/documents/assumptions.ts";

const text = "# Assumptions\n\n## Q1\n\n- Default taken: a\n\n";

test("the first assumption begins the file, also where an empty one is there", () => {
  for (const before of [null, "", "\n", "\uFEFF"]) {
    assert.equal(isFirstAssumption(before), true);
    assert.equal(addToAssumptions(before, text), "# Assumptions\n\n## Q1\n\n- Default taken: a\n");
  }
  assert.equal(isFirstAssumption("x"), false);
});

test("the next one stands behind one blank line, with the line endings of the file", () => {
  const next = "## Q2\n\n- Default taken: b\n";
  assert.equal(addToAssumptions("a\n\n", next), next);
  assert.equal(addToAssumptions("a\n", next), `\n${next}`);
  assert.equal(addToAssumptions("a", next), `\n\n${next}`);
  const crlf = next.replaceAll("\n", "\r\n");
  assert.deepEqual(
    ["a\r\n\r\n", "a\r\n", "a\r\nb"].map((before) => addToAssumptions(before, next)),
    [crlf, `\r\n${crlf}`, `\r\n\r\n${crlf}`],
  );
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shorten } from "../../lib/text/shorten.ts";

describe("shorten", () => {
  it("keeps a short line", () => assert.equal(shorten("as it is"), "as it is"));

  it("makes one safe line of several", () => assert.equal(shorten("a\nb\tc\x1b"), "a\\nb\\tc\\x1b"));

  it("marks the cut and keeps to the length, counted in characters", () => {
    assert.equal(shorten("x".repeat(100)), `${"x".repeat(59)}…`);
    assert.equal(shorten("😀".repeat(10), 4), "😀😀😀…");
    assert.equal(shorten("abc", 3), "abc");
    assert.equal(shorten("abc", 0), "");
  });

  it("does not choke on a huge text", () => assert.equal(shorten("\n".repeat(1e7), 5), "\\n\\n…"));
});

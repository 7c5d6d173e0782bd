import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { escapeForTerminal, shorten } from "../../lib/text/shorten.ts";

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

describe("escapeForTerminal", () => {
  it("writes out what a terminal would obey or a reader would not see", () => {
    assert.equal(
      escapeForTerminal("\x1b[31m\b\r\x7f\x9b\u202e\u200b\ufeff\u2028\u{e0041}\ud800"),
      "\\x1b[31m\\x08\\x0d\\x7f\\x9b\\u{202e}\\u{200b}\\u{feff}\\u{2028}\\u{e0041}\\u{d800}",
    );
  });

  it("keeps newline, tab, accents, other scripts and emoji", () => {
    const text = "a\tb\nzażółć 日本語 😀";
    assert.equal(escapeForTerminal(text), text);
  });

  it("leaves nothing to escape, whatever came in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const once = escapeForTerminal(text);
        assert.equal(escapeForTerminal(once), once);
        // Signs of Arabic, Syriac and Kaithi that are written over the letters after them are seen.
        const seen = once.replace(/[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/gu, "");
        assert.doesNotMatch(seen, /[^\P{C}\n\t\p{Cn}\p{Co}]/u);
      }),
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { escapeForTerminal } from "../../lib/text/terminal.ts";

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
        assert.doesNotMatch(once, /[^\P{C}\n\t\p{Cn}\p{Co}]/u);
      }),
    );
  });
});

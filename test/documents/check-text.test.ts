import assert from "node:assert/strict";
import { test } from "node:test";
import { checkText, evidenceLimits } from "../../lib/documents/check-text.ts";
import { placeOf } from "../../lib/text/redact.ts";
import { showFinding } from "./arrange.ts";

function problem(bytes: Buffer | string): string {
  const checked = checkText(Buffer.from(bytes), "STATE.md");
  return checked.findings.map(showFinding).join("; ");
}

test("a plain text passes, and its byte-order mark is taken off and remembered", () => {
  assert.deepEqual(checkText(Buffer.from("a\r\nb\n"), "STATE.md"), {
    kind: "text",
    text: "a\r\nb\n",
    bom: false,
    findings: [],
  });
  assert.deepEqual(checkText(Buffer.from("\uFEFFa"), "STATE.md"), { kind: "text", text: "a", bom: true, findings: [] });
});

test("bytes that are not UTF-8 are refused where they begin", () => {
  assert.equal(
    problem(Buffer.from([0x61, 0x0a, 0xc3, 0x28])),
    "TP_TEXT_ENCODING 2:1 the file is not valid UTF-8 from here on",
  );
  const afterReplacement = Buffer.concat([Buffer.from("\uFFFD a"), Buffer.from([0xff])]);
  assert.equal(problem(afterReplacement), "TP_TEXT_ENCODING 1:4 the file is not valid UTF-8 from here on");
});

test("UTF-16 is named", () => {
  for (const bytes of [Buffer.from([0xff, 0xfe, 0x61, 0x00]), Buffer.from([0xfe, 0xff, 0x00, 0x61])]) {
    assert.equal(problem(bytes), "TP_TEXT_ENCODING 1:1 the file is UTF-16; UTF-8 is expected");
  }
});

test("characters that programs read in different ways are refused", () => {
  const rest = "is used here, which programs read in different ways";
  assert.equal(problem("a\n b\0"), `TP_TEXT_CHARACTER 2:3 a NUL character ${rest}`);
  assert.equal(problem("a\rb"), `TP_TEXT_CHARACTER 1:2 a carriage return without a newline ${rest}`);
  assert.equal(problem("a\u2028b"), `TP_TEXT_CHARACTER 1:2 the line separator U+2028 ${rest}`);
});

test("a text that is too big, too long in one line or has too many lines is refused", () => {
  assert.equal(problem("x\n".repeat(40_000)), "TP_TEXT_TOO_BIG null:null the file has 79 KiB; the limit is 64 KiB");
  assert.equal(
    problem(`a\n${"x".repeat(4_001)}`),
    "TP_TEXT_LONG_LINE 2:1 the line has 4001 characters; the limit is 4000",
  );
  assert.equal(problem("x\n\n".repeat(2_000)), "TP_TEXT_MANY_LINES 4001:1 the file has more than 4000 lines");
  assert.equal(
    checkText(Buffer.from(`${"x y z\n\n".repeat(1_900)}`.padEnd(70_000, " \n")), "E", {
      ...evidenceLimits,
      maxLines: 90_000,
    }).kind,
    "text",
  );
});

test("a place is a line and a column, both from 1", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 5].map((offset) => placeOf("a\nbc\nd", offset)),
    [
      { line: 1, column: 1 },
      { line: 1, column: 2 },
      { line: 2, column: 1 },
      { line: 2, column: 2 },
      { line: 3, column: 1 },
    ],
  );
});

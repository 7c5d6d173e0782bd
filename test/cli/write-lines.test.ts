import assert from "node:assert/strict";
import { test } from "node:test";
import { paint, renderLine } from "../../lib/cli/paint.ts";
import { findingLine, wantsColor, writeLines } from "../../lib/cli/write-lines.ts";
import { errorFinding, type Finding, infoFinding, warningFinding } from "../../lib/text/finding.ts";

const shown = (finding: Finding) => renderLine(findingLine(finding), false);
const place = { file: "tasks/T-1/STATE.md", line: 3, column: 7 };

test("a finding is one line with its place, and its fix on a line of its own", () => {
  assert.equal(
    shown(errorFinding("TP_X", "bad phase", { ...place, fix: "write intake" })),
    "tasks/T-1/STATE.md:3:7: error: bad phase [TP_X]\n  fix: write intake",
  );
  assert.equal(shown(warningFinding("TP_X", "odd", { file: "a.md", line: 3 })), "a.md:3: warning: odd [TP_X]");
  assert.equal(shown(infoFinding("TP_X", "note")), "info: note [TP_X]");
  assert.equal(shown(infoFinding("TP_X", "here", { file: "." })), "info: here [TP_X]");
});

test("only the severity is coloured", () => {
  assert.equal(renderLine(findingLine(errorFinding("TP_X", "bad")), true), "\u001b[31merror\u001b[39m: bad [TP_X]");
});

test("text from files cannot drive the terminal or start a line of its own", () => {
  const hostile = errorFinding("TP_X", "a\u001b[2J\nok: done", { file: "\u202eb\n", fix: "c\u0007" });
  assert.equal(shown(hostile), "\\u{202e}b\\n: error: a\\x1b[2J\\nok: done [TP_X]\n  fix: c\\x07");
});

test("colour: the flag, then FORCE_COLOR, then NO_COLOR and TERM, then the terminal", () => {
  const tty = { write: () => true, isTTY: true };
  const pipe = { write: () => true };
  assert.equal(wantsColor(tty, {}, false), true);
  assert.equal(wantsColor(pipe, {}, false), false);
  assert.equal(wantsColor(tty, { NO_COLOR: "1" }, false), false);
  assert.equal(wantsColor(tty, { NO_COLOR: "" }, false), true);
  assert.equal(wantsColor(tty, { TERM: "dumb" }, false), false);
  assert.equal(wantsColor(pipe, { FORCE_COLOR: "1", NO_COLOR: "1" }, false), true);
  assert.equal(wantsColor(tty, { FORCE_COLOR: "0" }, false), false);
  assert.equal(wantsColor(tty, { FORCE_COLOR: "false" }, false), false);
  assert.equal(wantsColor(tty, { FORCE_COLOR: "1" }, true), false);
});

test("lines are escaped, and no lines write nothing", () => {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) };
  writeLines(stream, [], true);
  writeLines(stream, ["a\u001b", ["b", paint("good", "c\u001b[1m")]], false);
  writeLines(stream, [["b", paint("good", "c\u001b[1m"), paint("bad", "")]], true);
  assert.deepEqual(written, ["a\\x1b\nbc\\x1b[1m\n", "b\u001b[32mc\\x1b[1m\u001b[39m\n"]);
});

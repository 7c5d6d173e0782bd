import assert from "node:assert/strict";
import { test } from "node:test";
import { readControl } from "../../lib/documents/control.ts";
import { openCommands as commands, mustReadControl as read } from "./arrange.ts";

function warnings(text: string): string[] {
  return read(text).findings.map(({ severity, line, message, fix }) => `${severity} ${line}: ${message}; ${fix}`);
}

test("a command is the first word of an open item of any list at the top level, in any case", () => {
  assert.deepEqual(
    commands(
      "# Control\n\n- [ ] PAUSE until Monday\n* [ ] skip\n\n1. [ ] **Abort**: now\n2. [ ] status\n\n+ [ ] RETRY.\n",
    ),
    ["3 PAUSE", "4 SKIP", "6 ABORT", "7 STATUS", "9 RETRY"],
  );
});

test("a command is a line that is just the word, or an item without a box, too", () => {
  const text = "# Control\n\nPause\n\n  **abort**!\nstatus.\n\n- skip it\n* RETRY\n\nSKIP <!-- now -->";
  assert.deepEqual(commands(text), ["3 PAUSE", "5 ABORT", "6 STATUS", "8 SKIP", "9 RETRY", "11 SKIP"]);
  assert.deepEqual(warnings(text), []);
});

test("a line right behind an item is a line of its own, which Markdown takes for a part of the item", () => {
  const text = "- [x] ABORT (done)\nRETRY\n- [ ] PAUSE\n  until Monday\n  STATUS\n  - nested\nSKIP\n\n  ABORT\n";
  assert.deepEqual(commands(text), ["2 RETRY", "3 PAUSE", "5 STATUS", "7 SKIP", "9 ABORT"]);
});

test("a word right behind an item that is no command is warned of, and the rest of a note is none", () => {
  const told = warnings(
    "- [x] ABORT (done)\nSTPO\n- [ ] PAUSE until\n  Monday\nRETRY now\n- please wait\nfor the release\n",
  );
  assert.deepEqual(
    told.map((line) => line.split(";")[0]),
    ["warning 2: 'STPO' is not a command", "warning 5: RETRY is not read as a command in this form"],
  );
});

test("ticked items, nested lists, quotes, code and comments hold no command", () => {
  const text =
    "- [x] PAUSE\n- [X] ABORT\n- plain text\n  - [ ] SKIP\n  - ABORT\n\n> - [ ] STATUS\n\n> ABORT\n\n```\n- [ ] ABORT\nABORT\n```\n\n    ABORT\n\n<!--\n- [ ] ABORT\nABORT\n-->\n\n<p>\nABORT\n</p>\n\nnote <!-- that\nABORT\n--> and `code\nABORT\n` and [a\nABORT\n](b)\n~~ABORT~~\n";
  assert.deepEqual([commands(text), warnings(text)], [[], []]);
});

test("the runner's own note says that a PAUSE was seen, and a person's does not", () => {
  assert.deepEqual(commands("- [ ] PAUSE (seen 2026-11-21T10:00:00.000Z)\n- [ ] PAUSE (seen by Ann)\n"), [
    "1 PAUSE seen",
    "2 PAUSE",
  ]);
});

test("an unknown word is a warning that names line and nearest command, where there is one", () => {
  const one = "is not a command; expected one of PAUSE, SKIP, ABORT, STATUS, RETRY";
  const correct = "correct it, tick the item, or put it into a quote";
  assert.deepEqual(warnings("- [ ] ABROT\n- [ ] please hurry\n- [x] whatever\n- [ ] \n- stopp\n\nSTOP\nrety now\n"), [
    `warning 1: 'ABROT' ${one}; did you mean ABORT?`,
    `warning 2: 'please' ${one}; ${correct}`,
    `warning 5: 'stopp' ${one}; ${correct}`,
    `warning 7: 'STOP' ${one}; ${correct}`,
    `warning 8: 'rety' ${one}; did you mean RETRY?`,
  ]);
  assert.deepEqual(warnings("please PAUSE now\n"), [
    "warning 1: PAUSE is not read as a command in this form; write PAUSE alone on its line, or as an item: - [ ] PAUSE",
  ]);
  assert.deepEqual(warnings("I never PAUSED it, and please pause now.\n"), []);
  assert.deepEqual(warnings("The night of Monday.\n\n- a list of other things\n"), []);
});

test("a command in a form that is not read is warned of", () => {
  const text = "- [] PAUSE\n- [ ]SKIP\n- [x]STATUS\n\nAbort if it fails\n\n## RETRY\n";
  const form = (line: number, command: string) =>
    `warning ${line}: ${command} is not read as a command in this form; write ${command} alone on its line, or as an item: - [ ] ${command}`;
  assert.deepEqual(
    [commands(text), warnings(text)],
    [[], [form(1, "PAUSE"), form(2, "SKIP"), form(5, "ABORT"), form(7, "RETRY")]],
  );
});

test("bytes that are no such text are unreadable, with the place", () => {
  for (const [bytes, code] of [
    [Buffer.from([0x2d, 0x20, 0xff, 0x0a]), "TP_TEXT_ENCODING"],
    [Buffer.from("- [ ] ABORT\0\n"), "TP_TEXT_CHARACTER"],
    [Buffer.alloc(64 * 1024 + 1, "a\n"), "TP_TEXT_TOO_BIG"],
  ] as const) {
    const control = readControl(bytes, "CONTROL.md");
    assert.deepEqual([control.kind, control.findings[0]?.code], ["unreadable", code]);
  }
});

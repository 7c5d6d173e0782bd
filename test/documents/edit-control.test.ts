import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addAbort, markControl } from "../../lib/documents/edit-control.ts";
import { openCommands as commands, mustReadControl as read } from "./arrange.ts";

/** Each open item ticked with a note, but PAUSE, which is only noted. */
function marked(text: string): string {
  const control = read(text);
  const marks = control.open.map((item) => ({ item, tick: item.command !== "PAUSE", note: `${item.command} noted` }));
  return markControl(control, marks).toString("utf8");
}

/** The same in the runner's own words. */
function noted(text: string): string {
  const control = read(text);
  const at = "2026-01-01T00:00Z";
  const marks = control.open.map((item) =>
    item.command === "PAUSE" ? { item, tick: false, note: `seen ${at}` } : { item, tick: true, note: `done ${at}` },
  );
  return markControl(control, marks).toString("utf8");
}

function asked(text: string): string | null {
  return addAbort(read(text), "by a test")?.toString("utf8") ?? null;
}

test("a mark changes the box and the end of the item's own text, and no other byte", () => {
  const before =
    "\uFEFF# Control\r\n\r\n<!-- mine -->\r\n\r\n-   [ ]  ABORT: \tnow \r\n    and fast  \r\n\r\n    > why\r\n* [ ] PAUSE\r\n| a |\r\n";
  assert.equal(
    marked(before),
    before
      .replace("[ ]  ABORT", "[x]  ABORT")
      .replace("and fast", "and fast (ABORT noted)")
      .replace("[ ] PAUSE\r\n| a |", "[ ] PAUSE\r\n| a | (PAUSE noted)"),
  );
});

test("an item that holds nested items, or is the last of the file without a newline, is marked in its own line", () => {
  assert.equal(
    marked("- [ ] STATUS\n  - [ ] ABORT\n- [ ] SKIP"),
    "- [x] STATUS (STATUS noted)\n  - [ ] ABORT\n- [x] SKIP (SKIP noted)",
  );
});

test("a line and an item get the box that they lack, and no other byte changes", () => {
  const before = "\uFEFFnote\r\n  PAUSE  \r\nabort\r\n\r\n1.  **Status**: `now`\r\n* pause\r\n  till noon\r\nRETRY";
  assert.equal(
    noted(before),
    "\uFEFFnote\r\n  [ ] PAUSE (seen 2026-01-01T00:00Z)  \r\n[x] abort (done 2026-01-01T00:00Z)\r\n\r\n1.  [x] **Status**: `now` (done 2026-01-01T00:00Z)\r\n* [ ] pause\r\n  till noon (seen 2026-01-01T00:00Z)\r\n[x] RETRY (done 2026-01-01T00:00Z)",
  );
});

test("a mark holds whatever stands around: what was obeyed is never read again, and PAUSE still is", () => {
  const word = fc.constantFrom("PAUSE", "abort", "Skip!", "**STATUS**", "RETRY", "stop", "a note", "PAUSE <!-- x -->");
  const lead = fc.constantFrom("", "- ", "- [ ] ", "- [x] ", "  ", "  - ", "> ", "1. ", "    ", "# ");
  const line = fc.oneof(
    fc.tuple(lead, word).map((parts) => parts.join("")),
    fc.constantFrom("", "```", "<!--", "-->", "---", "| a |"),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom("\n", "\r\n"), (lines, end) => {
      const text = lines.join(end);
      const pauses = commands(text).flatMap((one) => (one.endsWith("PAUSE") ? `${one} seen` : []));
      assert.deepEqual(commands(noted(text)), pauses);
    }),
  );
});

test("a marked command reads as done, and a PAUSE as open", () => {
  assert.deepEqual(commands(marked("- [ ] ABORT\n- [ ] PAUSE `now`\n- [ ] STATUS \\\n  more\n")), ["2 PAUSE"]);
  const lines = "- [x] ABORT (done)\nRETRY\n- [ ] PAUSE\n  until Monday\n  STATUS\n  - nested\nSKIP\n\n  ABORT\n";
  assert.deepEqual(commands(noted(lines)), ["3 PAUSE seen"]);
});

test("an ABORT is added behind what stands there, in the file's own line ends", () => {
  assert.equal(asked("# Control\n"), "# Control\n- [ ] ABORT (by a test)\n");
  assert.equal(
    asked("\uFEFF- [x] STATUS\r\n  - nested"),
    "\uFEFF- [x] STATUS\r\n  - nested\r\n- [ ] ABORT (by a test)\r\n",
  );
  assert.equal(asked(""), "- [ ] ABORT (by a test)\n");
});

test("an ABORT that is open already is not added again", () => {
  assert.equal(asked("- [ ] abort please"), "- [ ] abort please");
});

test("where the end would swallow it, the ABORT is added before, and where that would be swallowed too, nowhere", () => {
  assert.equal(asked("```\ncode\n"), "- [ ] ABORT (by a test)\n\n```\ncode\n");
  assert.equal(asked("<!-- open\n"), "- [ ] ABORT (by a test)\n\n<!-- open\n");
});

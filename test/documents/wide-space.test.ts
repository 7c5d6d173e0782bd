import assert from "node:assert/strict";
import { test } from "node:test";
import { checkText } from "../../lib/documents/check-text.ts";
import { readTree } from "../../lib/documents/read-tree.ts";

const spaces = ["\u00a0", "\u202f", "\u3000"];

test("a wide space behind the check box of an item hides neither the box nor its tick", () => {
  for (const space of spaces)
    for (const [text, checked] of [
      [`- [ ]${space}PAUSE\n`, false],
      [`-${space}[x]${space}PAUSE\n`, true],
    ] as const) {
      const read = readTree(Buffer.from(text), "CONTROL.md");
      const list = read.kind === "tree" ? read.tree.children[0] : undefined;
      assert.deepEqual([list?.type, list?.type === "list" && list.children[0]?.checked], ["list", checked], text);
    }
});

test("a text that costs too much with plain spaces is refused with wide ones too", () => {
  for (const space of spaces)
    assert.deepEqual(
      checkText(Buffer.from(`-${space}${"- ".repeat(300)}x\n`), "STATE.md").findings.map(({ message }) => message),
      ["quotes and lists are nested too deep to be read safely (301, at most 12)"],
    );
});

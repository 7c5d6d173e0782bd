import assert from "node:assert/strict";
import { test } from "node:test";
import { checkText, evidenceLimits, taskFileLimits } from "../../lib/documents/check-text.ts";
import { readTree } from "../../lib/documents/read-tree.ts";

/** Broken into lines, so that the limit on one line does not decide. */
function wrapped(text: string, width = 1_900): string {
  return text.match(new RegExp(`[^]{1,${width}}`, "g"))?.join("\n") ?? "";
}

/** Texts that keep the parser busy for seconds or minutes, or end it by its stack. The guard counts them out. */
const bombs: Readonly<Record<string, string>> = {
  "nested images, 6 KB": wrapped(`${"![".repeat(1_000)}a${"](b)".repeat(1_000)}`),
  "nested images, 24 KB": wrapped(`${"![".repeat(4_000)}a${"](b)".repeat(4_000)}`),
  "nested lists on one line": `${"- ".repeat(1_600)}a`,
  "nested lists on one line, 24 KB": wrapped(`${"- ".repeat(12_000)}a`, 3_900),
  "nested lists on many lines": `${"- ".repeat(50)}a\n`.repeat(400),
  "lists a little nested, very often": `${"- ".repeat(8)}a\n`.repeat(3_900),
  "nested quotes with spaces": `${"> ".repeat(1_900)}a`,
  "nested quotes with spaces, 24 KB": wrapped(`${"> ".repeat(12_000)}a`, 3_900),
  "nested quotes": `${">".repeat(3_900)}\n`.repeat(16),
  "nested lists by indentation": Array.from({ length: 250 }, (_, index) => `${" ".repeat(index * 2)}- a\n`).join(""),
  "a quote continued lazily": `> ${"a\n".repeat(3_900)}`,
  "emphasis runs": `${"*".repeat(1_900)}a${"*".repeat(1_900)}`,
  "emphasis runs, 30 KB": wrapped(`${"*".repeat(16_000)}a${"*".repeat(16_000)}`),
  "emphasis that never closes": wrapped("*a_ ".repeat(4_000)),
  "links that never close": wrapped("[a](".repeat(14_000)),
  "open brackets": wrapped("[".repeat(60_000)),
  "closing brackets": wrapped("]".repeat(60_000)),
  "links, very many": wrapped("[a](b) ".repeat(9_000)),
  "footnotes in footnotes": `${"[^a]: ".repeat(600)}a`,
  "comments that never close": wrapped("a <!--".repeat(9_000)),
  "code spans of many widths": wrapped(Array.from({ length: 300 }, (_, index) => `a${"`".repeat(index + 1)}`).join("")),
  "table cells": `${"|a".repeat(900)}\n${"|-".repeat(900)}\n${`${"|a".repeat(900)}\n`.repeat(30)}`,
  "marks, very many": wrapped("<a * ".repeat(12_000)),
};

for (const [name, text] of Object.entries(bombs)) {
  test(`a parser bomb is refused by counting, before any parser sees it: ${name}`, () => {
    const before = process.cpuUsage();
    const checked = checkText(Buffer.from(text), "STATE.md", { ...taskFileLimits, maxBytes: 128 * 1024 });
    const { user } = process.cpuUsage(before);
    assert.equal(checked.findings[0]?.code, "TP_TEXT_TOO_COMPLEX");
    assert.match(checked.findings[0]?.message ?? "", /to be read safely \(\d+, at most \d+\)$/);
    assert.match(checked.findings[0]?.fix ?? "", /artifacts\//);
    // Of work, not of time: what else the machine does has no part in it.
    assert.ok(user < 500_000, `${user} µs`);
  });
}

test("5 MB of nested quotes are refused by their size alone", () => {
  const checked = checkText(Buffer.from(">".repeat(5_000_000)), "STATE.md");
  assert.equal(checked.findings[0]?.message, "the file has 4883 KiB; the limit is 64 KiB");
});

const paragraph =
  "The export **streams** rows, see [the plan](docs/plan.md#rows) and `lib/export.ts`; it never holds a _whole_ table.\n";

/** What people and models really write, at the size limit. */
const plainTexts: Readonly<Record<string, string>> = {
  prose: `${paragraph.repeat(4)}\n`,
  "task items": `- [x] Write the test for row ${"a".repeat(40)} in \`test/export.test.ts\`\n- [ ] Run it\n\n`,
  "one long list": `- [x] \`export.ts\` **streams** rows\n`,
  "nested lists": "- Step\n  - [ ] Part\n    - Detail with **emphasis**\n\nText between the lists.\n\n",
  tables: "| check | result | log |\n| --- | --- | --- |\n| tests | pass | [log](a/b.log) |\n| lint | pass | `c` |\n\n",
  code: `\`\`\`\n${"if (a[0] && b) { return *c * 2; } // <!-- [x](y)\n".repeat(3)}\`\`\`\n\nSome text.\n\n`,
  quotes: "> [!NOTE]\n> A remark of two lines\n> with `code`.\n\nText.\n\n",
};

for (const [name, unit] of Object.entries(plainTexts)) {
  test(`a plain file is read up to its size: ${name}`, () => {
    const text = `# Title\n\n${unit.repeat(Math.floor((60 * 1024) / unit.length))}`;
    const lines = text
      .split("\n")
      .slice(0, taskFileLimits.maxLines - 1)
      .join("\n");
    const read = readTree(Buffer.from(lines), "STATE.md", evidenceLimits);
    assert.deepEqual(read.kind === "bad" ? read.findings : [], []);
  });
}

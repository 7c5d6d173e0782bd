import assert from "node:assert/strict";
import { test } from "node:test";
import { addLines, gitLines } from "../../../lib/scaffold/init/git-files.ts";

const [attributes, ignore] = gitLines("# task-phase:");
assert(attributes !== undefined && ignore !== undefined);

test("a new file has its comment and its lines, and is complete then", () => {
  const text = addLines("", ignore);
  assert.equal(
    text,
    "# task-phase: locks; cooldowns, changelogs and reports of loops beside them may be committed.\n/.task-phase/locks/\n/.cron.lock\n",
  );
  assert.equal(addLines(text, ignore), null);
});

test("only what is missing is added, once, behind what is there and by its line ends", () => {
  const block = `${attributes.comment}\n${attributes.lines.join("\n")}\n`;
  const [first = "", ...others] = attributes.lines;
  const cases: readonly (readonly [string, string])[] = [
    ["*.png binary\n", `*.png binary\n${block}`],
    ["*.png binary", `*.png binary\n${block}`],
    ["*.png binary\r\n", `*.png binary\r\n${block.replaceAll("\n", "\r\n")}`],
    [`  ${first}  \n`, `  ${first}  \n${[attributes.comment, ...others].join("\n")}\n`],
    [block.replace(`${first}\n`, ""), `${block.replace(`${first}\n`, "")}${first}\n`],
  ];
  for (const [text, expected] of cases) {
    assert.equal(addLines(text, attributes), expected);
    assert.equal(addLines(expected, attributes), null);
  }
});

test("no rule changes bytes, and none folds what people read", () => {
  assert.equal(attributes.lines[0], "* -text");
  for (const line of attributes.lines.slice(1)) assert.match(line, /^\S+ linguist-generated -diff$/);
  assert.doesNotMatch(attributes.lines.join("\n"), /README|STATE|DECISIONS|EVIDENCE|SUMMARY|BOARD|\*\.md/);
});

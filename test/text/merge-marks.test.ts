import assert from "node:assert/strict";
import { test } from "node:test";
import { findMergeMark } from "../../lib/text/merge-marks.ts";

const rows: readonly (readonly [what: string, text: string, line: number | null])[] = [
  ["a mark with a name", "a\n<<<<<<< HEAD\nb\n", 2],
  ["a mark without a name", "<<<<<<<\n", 1],
  ["a mark in a file with CRLF", "a\r\nb\r\n<<<<<<< ours\r\n", 3],
  ["the first of two marks", "<<<<<<< HEAD\n=======\n>>>>>>> x\n<<<<<<< HEAD\n", 1],
  ["a mark behind a block that is closed", "```\ncode\n```\n<<<<<<< HEAD\n", 4],
  ["a mark in a fenced block", "```\n<<<<<<< HEAD\n```\n", null],
  ["a mark in a block of tildes", "   ~~~\n<<<<<<< HEAD\n", null],
  ["an indented fence, which is none", "    ```\n<<<<<<< HEAD\n", 2],
  ["a mark within a line", "a <<<<<<< HEAD\n", null],
  ["a longer row of marks", "<<<<<<<< HEAD\n", null],
  ["a mark that a word follows at once", "<<<<<<<HEAD\n", null],
  ["nothing", "", null],
];
for (const [what, text, line] of rows) {
  test(`an unfinished merge is ${line === null ? "not seen" : `found on line ${line}`} in ${what}`, () => {
    const found = findMergeMark(text, "README.md");
    assert.equal(found?.line ?? null, line);
    if (line !== null) assert.equal(found?.message, `the file contains an unfinished merge (line ${line}: <<<<<<<)`);
  });
}

test("the record of a task is taken from one side as a whole, and any other file is put together", () => {
  const fixOf = (file: string) => findMergeMark("<<<<<<< HEAD\n", file)?.fix ?? "";
  const files = "STATE.md EVIDENCE.md log.txt progress.txt last_error.txt artifacts";
  for (const [file, folder] of [
    ["tasks/T-1/STATE.md", "tasks/T-1"],
    ["/a/T-1/artifacts/journal.jsonl", "/a/T-1"],
    ["EVIDENCE.md", "."],
    ["a b/STATE.md", "'a b'"],
  ] as const)
    assert.ok(
      fixOf(file).includes(
        `: git -C ${folder} checkout --ours ${files} (or --theirs; without artifacts if no pass has run yet); `,
      ),
      fixOf(file),
    );
  assert.match(fixOf("DECISIONS.md"), /keep what is right/);
});

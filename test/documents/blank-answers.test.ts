import assert from "node:assert/strict";
import { test } from "node:test";
import { blankNewAnswers } from "../../lib/documents/blank-answers.ts";
import { openQuestion as first } from "./arrange.ts";

test("the answers of new questions are taken out, and every other byte stays", () => {
  const blank = (before: string | null, after: string) =>
    blankNewAnswers(before === null ? null : Buffer.from(before), Buffer.from(after))?.text ?? null;
  const second = first.replace("Q1", "Q2");
  const answered = (text: string, answer = " UTF-8") => text.replace("- Answer:", `- Answer:${answer}`);
  assert.equal(blank(null, answered(first)), first);
  assert.equal(
    blank(answered(first), `\uFEFF${answered(first)}\n${answered(second)}`),
    `\uFEFF${answered(first)}\n${second}`,
  );
  assert.equal(blank(null, answered(first, "\n\n  - a\n  - b\n")), first.concat("\n"));
  assert.equal(
    blank(null, `${answered(first)}\n## Why?\n\nOptions: a or b\n\n### Answer\n\nb\n`),
    `${first}\n## Why?\n\nOptions: a or b\n\n### Answer\n\n\n`,
  );
  for (const [before, after] of [
    [null, first],
    [first, answered(first)],
    [first, answered(second)],
    [first, `${answered(first)}\n${answered(second)}`],
  ] as const) {
    assert.equal(blank(before, after), null);
  }
});

test("the questions whose answers were taken out are listed with them, and a file that is no text has none", () => {
  const answered = Buffer.from(first.replace("- Answer:", "- Answer: UTF-8"));
  const listed = blankNewAnswers(Buffer.from([0xff]), answered)?.answered;
  assert.deepEqual(
    listed?.map(({ id, answer }) => [id, answer]),
    [["Q1", "UTF-8"]],
  );
  assert.equal(blankNewAnswers(null, Buffer.from([0xff])), null);
});

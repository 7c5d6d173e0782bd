import assert from "node:assert/strict";
import { test } from "node:test";
import { type Question, readDecisions, sameAnswers } from "../../lib/documents/decisions.ts";

function read(text: string): readonly Question[] {
  const found = readDecisions(Buffer.from(text), "DECISIONS.md");
  return found.kind === "decisions" ? found.questions : assert.fail(found.findings[0]?.message);
}

const options = "- Options: a; b\n";

/** Ways to ask, each an open question: its id and its title. */
const asked: readonly (readonly [text: string, id: string, title: string])[] = [
  ["### Q1\n\n- Answer:\n", "Q1", ""],
  ["### Q1: Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["# Q1: Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## Q1. Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## Q1) Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## Q1 - Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## Q1 — Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## Q1 Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## Q1 Which encoding\n\n- Question: Which one?\n- Answer:\n", "Q1", "Which encoding"],
  ["## **Q1: Which encoding?**\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## ❓ Q1: Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## [Q1] Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## Question 1: Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## Question 1\n\n- Question: Which encoding?\n- Answer:\n", "Q1", ""],
  ["## Question #1 - Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["### question 3. Which encoding?\n", "Q3", "Which encoding?"],
  ["**Q1: Which encoding?**\n\n- Options: a\n- Answer:\n", "Q1", "Which encoding?"],
  [`## Which encoding?\n\n${options}- Answer:\n`, "Q1", "Which encoding?"],
  [`### Encoding of the export\n\n${options}- Answer:\n`, "Q1", "Encoding of the export"],
  ["## Which encoding?\n\n- Answer:\n", "Q1", "Which encoding?"],
  ["## Encoding\n\n- Question: which?\n- Answer:\n", "Q1", "Encoding"],
  ["## Encoding\n\n**Question:** which?\n**Options:** a; b\n**Answer:**\n", "Q1", "Encoding"],
  ["## Encoding\n\n**Options:**\n\n- a\n- b\n\n**Answer:**\n", "Q1", "Encoding"],
  ["## Encoding\n\n### Options\n\n- a\n- b\n\n### Answer\n", "Q1", "Encoding"],
  ["Which encoding?\n---\n\n- Options: a\n- Answer:\n", "Q1", "Which encoding?"],
];

for (const [text, id, title] of asked)
  test(`an open question is read: ${JSON.stringify(text)}`, () => {
    const questions = read(`# Decisions\n\nWhat a person decides.\n\n${text}`);
    assert.deepEqual(
      questions.map((question) => [question.id, question.title, question.open]),
      [[id, title, true]],
    );
    assert.deepEqual(sameAnswers(null, Buffer.from(text)), { ok: true, problem: null });
  });

/** Ways to answer, in place of `- Answer:`. */
const answered: readonly (readonly [text: string, answer: string])[] = [
  ["- Answer: UTF-8\n", "UTF-8"],
  ["- **Answer:** UTF-8\n", "UTF-8"],
  ["- Answer:\n  UTF-8\n", "UTF-8"],
  ["- Answer:\n\n  UTF-8\n", "UTF-8"],
  ["- Answer:\n  - UTF-8\n", "- UTF-8"],
  ["* answer: UTF-8\n", "UTF-8"],
  ["1. Answer: UTF-8\n", "UTF-8"],
  ["- Answers: UTF-8\n", "UTF-8"],
  ["\nAnswer: UTF-8\n", "UTF-8"],
  ["\n**Answer:** UTF-8\n", "UTF-8"],
  ["\n**Answer**: UTF-8\n", "UTF-8"],
  ["\n**Answer:**\n\nUTF-8\n", "UTF-8"],
  ["\n### Answer\n\nUTF-8\n", "UTF-8"],
  ["\n### Answer:\n\nUTF-8\n", "UTF-8"],
  ["- Answer: none\n", "none"],
  ["- Answer: open\n", "open"],
  ["- Answer: pending\n", "pending"],
  ["- Answer: Waiting for the lock is fine\n", "Waiting for the lock is fine"],
  ["- Answer: `UTF-8`\n", "`UTF-8`"],
];

for (const [text, answer] of answered)
  test(`an answer is read: ${JSON.stringify(text)}`, () => {
    const whole = `## Q1: Which encoding?\n\n- Options: a\n${text}\n## Q2\n`;
    assert.deepEqual(
      read(whole).map((question) => [question.answer, question.open]),
      [
        [answer, false],
        ["", true],
      ],
    );
  });

const placeholders = [
  "TBD",
  "tbd.",
  "TODO",
  "?",
  "-",
  "—",
  "…",
  "...",
  "___",
  "_pending_",
  "(pending)",
  "**open**",
  "[answer here]",
  "<your answer>",
  "_(to be decided)_",
  "to be decided",
  "to be answered by a person",
  "awaiting user decision",
];
placeholders.push(
  "waiting for a person",
  "not answered yet",
  "no answer yet",
  "_unanswered_",
  "pending user decision",
  "<!-- write here -->",
);

for (const text of placeholders)
  test(`a placeholder is no answer: ${text}`, () => {
    assert.deepEqual(
      read(`## Q1\n\n- Answer: ${text}\n`).map(({ open }) => open),
      [true],
    );
  });

const none = [
  "## Notes\n\n- Answer: x\n",
  "## Question 1 was answered earlier\n",
  "## Q1 planning notes\n",
  "## Quality\n\n- Options: a\n",
  "## Q0: x\n",
  "> ## Q1: x\n> - Answer:\n",
  "```\n## Q1: x\n- Answer:\n```\n",
  "<!--\n## Q1: x\n-->\n",
  "- Q1: which?\n",
  "Q1: which?\n",
  "| Q1 | Answer |\n|-|-|\n| a | b |\n",
  "**Note: Q1**\n",
];

for (const text of none)
  test(`no question is guessed from ${JSON.stringify(text)}`, () => assert.deepEqual(read(text), []));

test("deeper headings belong to their question, and another number begins another one", () => {
  const text =
    "## Q1: a\n\n### Options\n\n- x\n\n### Background\n\n- Why: b\n\n#### Q1\n\n- Answer: y\n\n### Q2: c\n\n- Answer:\n";
  assert.deepEqual(
    read(text).map(({ id, options: given, answer }) => [id, given, answer]),
    [
      ["Q1", "- x", "y"],
      ["Q2", "", ""],
    ],
  );
});

test("a question without a number takes the lowest free one, and keeps it when more are asked", () => {
  const text = "## Q2: a\n\n- Answer:\n\n## Which?\n\n- Answer:\n";
  assert.deepEqual(
    read(text).map(({ id }) => id),
    ["Q2", "Q1"],
  );
  const more = `${text}\n## Q3: b\n\n- Answer:\n`;
  assert.deepEqual(sameAnswers(Buffer.from(text), Buffer.from(more)), { ok: true, problem: null });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { answerQuestion } from "../../lib/documents/answer-question.ts";
import { readDecisions } from "../../lib/documents/decisions.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";

const asked = (answer: string, more = "") => `# Decisions

Notes of a person.

## Q1: Which encoding?

- Question: UTF-8 or Latin-1?
  - why it matters
- Safe default: UTF-8
${answer}${more}
## Q2: Which name?

- Safe default: export.csv
- Answer:
`;

const answer = (text: string, id = "Q1", answers: readonly string[] = ["UTF-8 (taken)"]) =>
  answerQuestion(Buffer.from(text), id, answers, "DECISIONS.md");

function answersOf(text: string): readonly string[] {
  const read = readDecisions(Buffer.from(text), "DECISIONS.md");
  return read.kind === "decisions" ? read.questions.map((question) => question.answer) : assert.fail("unreadable");
}

/** The line that stands there before and afterwards; everything around it keeps its bytes. */
const forms: readonly (readonly [what: string, before: string, after: string])[] = [
  ["an empty answer", "- Answer:\n", "- Answer: UTF-8 (taken)\n"],
  ["a space behind the label", "- Answer: \n", "- Answer: UTF-8 (taken)\n"],
  ["a label in bold", "- **Answer:**\n", "- **Answer:** UTF-8 (taken)\n"],
  ["other letters and another mark", "* ANSWER :\n", "* ANSWER : UTF-8 (taken)\n"],
  ["a placeholder", "- Answer: TBD\n", "- Answer: UTF-8 (taken)\n"],
  ["a placeholder on a line of its own", "- Answer:\n  ?\n", "- Answer:\n  UTF-8 (taken)\n"],
  ["a comment behind it", "- Answer: <!-- write here -->\n", "- Answer: UTF-8 (taken) <!-- write here -->\n"],
  ["a comment below it", "- Answer:\n  <!-- write here -->\n", "- Answer: UTF-8 (taken)\n  <!-- write here -->\n"],
  ["an answer that is missing", "", "- Answer: UTF-8 (taken)\n"],
];
for (const [what, before, after] of forms) {
  test(`${what} takes the words, and every other byte stays`, () => {
    for (const mark of ["", "\uFEFF"]) {
      for (const eol of ["\n", "\r\n"]) {
        const [from, to] = [before, after].map((line) => `${mark}${asked(line)}`.replaceAll("\n", eol));
        assert.equal(answer(from ?? ""), to);
      }
    }
  });
}

test("a missing answer goes into the list that has the fields, with its own mark and indent", () => {
  const text = "## Q1\n\n- Safe default: a\n\nText.\n\n  1. Deadline: 2026-01-01T00:00:00Z\n     - nested\n\nMore.\n";
  assert.equal(answer(text), text.replace("     - nested\n", "     - nested\n  1. Answer: UTF-8 (taken)\n"));
});

test("a question in a code block, a quote or a comment is an example, and stays one", () => {
  const examples = ["```\n## Q1: x\n- Answer:\n```\n", "> ## Q1: x\n> - Answer:\n", "<!--\n## Q1: x\n- Answer:\n-->\n"];
  for (const example of examples) {
    const text = `${example}\n${asked("- Answer:\n", `\n${example}`)}`;
    assert.equal(answer(text), `${example}\n${asked("- Answer: UTF-8 (taken)\n", `\n${example}`)}`);
  }
});

test("of two answers the first counts, and only that one is written", () => {
  const text = asked("- Answer:\n", "\n- Answer: of another list\n");
  assert.equal(answer(text), text.replace("- Answer:\n", "- Answer: UTF-8 (taken)\n"));
});

test("words that would not be read back as they are give way to the next ones", () => {
  const text = asked("- Answer:\n");
  assert.deepEqual(answersOf(answer(text, "Q2", ["TBD", "the default above"])), ["", "the default above"]);
  assert.deepEqual(answersOf(answer(text, "Q1", ["a\n\n## Q3: b", "c"])), ["c", ""]);
  assert.deepEqual(answersOf(answer(text, "Q1", ["a\n- Answer: b", "c"])), ["c", ""]);
});

const natural: readonly (readonly [what: string, before: string, after: string])[] = [
  ["a question without a list", "## Q1: x\n\nWhat now?\n", "## Q1: x\n\nWhat now?\n\n- Answer: UTF-8 (taken)\n"],
  ["a question that is a heading alone", "### Question 1: x?\n", "### Question 1: x?\n\n- Answer: UTF-8 (taken)\n"],
  ["a label in bold in a paragraph", "## Q1\n\n**Answer:**\n", "## Q1\n\n**Answer:** UTF-8 (taken)\n"],
  ["a placeholder in a paragraph", "## Q1\n\nAnswer: _pending_\n", "## Q1\n\nAnswer: UTF-8 (taken)\n"],
  ["a heading for the answer", "## Q1\n\n### Answer\n", "## Q1\n\n### Answer\n\nUTF-8 (taken)\n"],
  ["a placeholder below a heading", "## Q1\n\n### Answer\n\n_tbd_\n", "## Q1\n\n### Answer\n\nUTF-8 (taken)\n"],
  ["a label that is a letter off", "## Q1\n\n- Answers:\n", "## Q1\n\n- Answers: UTF-8 (taken)\n"],
];
for (const [what, before, after] of natural) {
  test(`${what} takes the words, however it was asked`, () => {
    for (const eol of ["\n", "\r\n"]) {
      const more = `${eol}## Q2${eol}${eol}- Answer:${eol}`;
      const [from = "", to = ""] = [before, after].map((text) => text.replaceAll("\n", eol) + more);
      assert.equal(answer(from), to);
      assert.deepEqual(answersOf(to), ["UTF-8 (taken)", ""]);
    }
  });
}

test("where no words can be written it is a data error, and so is a question that does not exist", () => {
  const isData = (error: unknown) => error instanceof TaskPhaseError && error.exitName === "data";
  assert.throws(() => answer(asked("- Answer:\n"), "Q7"), isData);
  assert.throws(() => answerQuestion(Buffer.from([0xff]), "Q1", ["x"], "DECISIONS.md"), isData);
  assert.throws(
    () => answer(`${"x".repeat(64 * 1024 - asked("- Answer:\n").length)}\n${asked("- Answer:\n")}`),
    isData,
  );
});

test("an answer is written at its question or not at all, in any surroundings", () => {
  const part = fc.constantFrom(
    "text",
    "- Answer: x",
    "```",
    "~~~",
    "> q",
    "<!--",
    "-->",
    "",
    "## Q9: y",
    "---",
    "\t- a",
    "| a |",
  );
  const around = fc.array(part, { maxLength: 6 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(around, around, fc.string({ maxLength: 20 }), (before, after, words) => {
      const text = `${before}\n\n## Q1: t\n\n- Safe default: a\n- Answer:\n\n${after}\n`;
      const read = readDecisions(Buffer.from(text), "DECISIONS.md");
      if (read.kind === "unreadable" || read.questions.find(({ id }) => id === "Q1")?.open !== true) return;
      const written = [`${words} (taken)`, "the default above (taken)"];
      let result: string;
      try {
        result = answer(text, "Q1", written);
      } catch (error) {
        assert.ok(error instanceof TaskPhaseError);
        return;
      }
      const now = readDecisions(Buffer.from(result), "DECISIONS.md");
      assert.ok(now.kind === "decisions");
      const [was, is] = [read.questions, now.questions].map((all) => all.filter(({ id }) => id !== "Q1"));
      assert.deepEqual(is, was);
      assert.ok(written.includes(now.questions.find(({ id }) => id === "Q1")?.answer ?? ""));
    }),
    { numRuns: 300 },
  );
});

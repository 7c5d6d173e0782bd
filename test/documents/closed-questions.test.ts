import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ClosedForm,
  closedForm,
  closedForms,
  isUnclear,
  optionsOf,
} from "../../lib/documents/closed-questions.ts";
import { readDecisions } from "../../lib/documents/decisions.ts";
import { readPlainAnswer } from "../../lib/rules/plain-answer.ts";

const forms: readonly ClosedForm[] = Object.values(closedForms);

test("each option, as the question prints it and as it is written alone, is read as what it offers", () => {
  for (const form of forms) {
    const printed = optionsOf(form).split("; ");
    const read = [...printed, form.yes.word, form.no.word, `\`${form.yes.word}\``].map(readPlainAnswer);
    assert.deepEqual(read, ["yes", "no", "yes", "no", "yes"], form.title);
  }
});

test("only a question with the title and the options of the runner has two answers", () => {
  for (const form of forms) {
    const asked = { title: form.title, options: optionsOf(form), answer: "" };
    assert.equal(closedForm(asked), form);
    assert.equal(closedForm({ ...asked, options: optionsOf(form).replaceAll(" ", "\n  ") }), form);
    assert.equal(closedForm({ ...asked, options: "UTF-8; Latin-1" }), null);
    assert.equal(closedForm({ ...asked, title: "Which encoding?" }), null);
    assert.deepEqual(
      ["", "yes", "no: the menu", "yes, but the menu", "UTF-8"].map((answer) => isUnclear({ ...asked, answer })),
      [false, false, false, true, true],
    );
  }
});

test("a closed question stays open until its answer is a plain one, and a free one takes any words", () => {
  const open = (options: string, answer: string) => {
    const text = `## Q1: ${closedForms.manual.title}\n\n- Options: ${options}\n- Answer: ${answer}\n`;
    const read = readDecisions(Buffer.from(text), "DECISIONS.md");
    return read.kind === "decisions" ? read.questions[0]?.open : null;
  };
  const closed = optionsOf(closedForms.manual);
  assert.deepEqual(
    ["", "yes, looks good", "no: the menu", "yes, but the menu"].map((answer) => open(closed, answer)),
    [true, false, false, true],
  );
  assert.deepEqual(
    ["", "yes, but the menu", "red"].map((answer) => open("red or blue", answer)),
    [true, false, false],
  );
});

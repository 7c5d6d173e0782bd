import { dataError } from "../report/errors.ts";
import { listQuestions, type Question, questionFields, readDecisions } from "./decisions.ts";
import type { ListField } from "./list-fields.ts";
import { offsetsOf } from "./markdown.ts";
import { readTree } from "./read-tree.ts";
import { applySplices, fillSplice, type Splice } from "./splice.ts";

/**
 * The whole text of DECISIONS.md with an answer to one open question; every other byte stays. `answers` are one line
 * of Markdown each: the first that reads back as the answer, and changes nothing else, is taken. Throws a data error
 * where none does.
 */
export function answerQuestion(bytes: Buffer, id: string, answers: readonly string[], file: string): string {
  for (const answer of answers) {
    for (const splice of answerSplices(bytes, id, answer, file)) {
      const after = splicedText(bytes, splice, file);
      if (saysOnly(bytes, after, id, answer, file)) return after;
    }
  }
  throw dataError("TP_DECISIONS_ANSWER", `no answer can be written to ${id}: it would not be read back so`, {
    file,
    fix: "write it by hand, as the item `- Answer: ...` of the question's list",
  });
}

/** The ways to write it, the one that changes least first. */
function answerSplices(bytes: Buffer, id: string, answer: string, file: string): Splice[] {
  const read = readTree(bytes, file);
  const section =
    read.kind === "tree" ? listQuestions(read.tree).find((question) => question.id === id)?.section : null;
  if (read.kind === "bad" || section === null || section === undefined) return [];
  const fields = questionFields(section, read.text);
  const field = fields.find(({ label }) => label === "answer");
  if (field === undefined) return fields.slice(-1).map((last) => newItem(read.text, last, answer));
  const empty = field.start === field.end;
  return [
    empty ? fillSplice(read.text, field.labelEnd, answer) : { start: field.start, end: field.end, text: answer },
    { ...field.content, text: `Answer: ${answer}` },
  ];
}

/** One more item behind the last field, with the same indent and mark. */
function newItem(text: string, { item }: ListField, answer: string): Splice {
  const { start, end } = offsetsOf(item);
  const indent = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const mark = /^(?:[-*+]|\d{1,9}[.)])/.exec(text.slice(start, end))?.[0] ?? "-";
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { start: end, end, text: `${eol}${indent}${mark} Answer: ${answer}` };
}

function splicedText(bytes: Buffer, splice: Splice, file: string): string {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return bytes.toString("utf8");
  return `${read.bom ? "\uFEFF" : ""}${applySplices(read.text, [splice])}`;
}

/** Every question is as it was, but that this one has the answer. */
function saysOnly(before: Buffer, after: string, id: string, answer: string, file: string): boolean {
  const now = readDecisions(Buffer.from(after), file);
  const was = readDecisions(before, file);
  if (now.kind === "unreadable" || was.kind === "unreadable") return false;
  const aim = was.questions.map(
    (question): Question => (question.id === id ? { ...question, answer, open: false } : question),
  );
  return JSON.stringify(aim) === JSON.stringify(now.questions);
}

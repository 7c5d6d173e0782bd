import { dataError } from "../text/errors.ts";
import { areSame, type Question, readDecisions } from "./decisions.ts";
import { type FoundQuestion, listQuestions } from "./list-questions.ts";
import { offsetsOf } from "./markdown.ts";
import { readTree } from "./read-tree.ts";
import { applySplices, fillSplice, type Splice, withBom } from "./splice.ts";

/**
 * The whole text of DECISIONS.md with an answer to one open question; every other byte stays. `answers` are one line
 * of Markdown each: the first that reads back as the answer, and changes nothing else, is taken. Throws a data error
 * if none does.
 */
export function answerQuestion(bytes: Buffer, id: string, answers: readonly string[], file: string): string {
  for (const answer of answers) {
    for (const splice of answerSplices(bytes, id, answer, file)) {
      const after = splicedText(bytes, splice, file);
      if (saysOnly(bytes, after, id, answer, file)) return after;
    }
  }
  throw dataError("TP_DECISIONS_ANSWER", `no answer can be written to ${id}: it would not be read back the same`, {
    file,
    fix: "write it by hand, as the item `- Answer: ...` of the question's list",
  });
}

/** The ways to write it, the one that changes least first. */
function answerSplices(bytes: Buffer, id: string, answer: string, file: string): Splice[] {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return [];
  const { tree, text } = read;
  const question = listQuestions(tree, text).find((found) => found.id === id);
  if (question === undefined) return [];
  const field = question.fields.find(({ label }) => label === "answer");
  if (field === undefined) return newItem(text, question, answer);
  const { start, end, labelEnd, content, below } = field;
  const eol = eolOf(text);
  const empty = below
    ? { start: labelEnd, end: labelEnd, text: `${eol}${eol}${answer}` }
    : fillSplice(text, labelEnd, answer);
  return [
    start === end ? empty : { start, end, text: answer },
    ...(content === null ? [] : [{ ...content, text: `Answer: ${answer}` }]),
  ];
}

/** One more item behind the last field, with the same indent and mark; a list of its own if there is none. */
function newItem(text: string, { start: headed, nodes, fields }: FoundQuestion, answer: string): Splice[] {
  const eol = eolOf(text);
  const item = fields.findLast((field) => field.item !== null)?.item ?? null;
  if (item === null) {
    const last = nodes.at(-1);
    const end = last === undefined ? headed : offsetsOf(last).end;
    return [{ start: end, end, text: `${eol}${eol}- Answer: ${answer}` }];
  }
  const { start, end } = offsetsOf(item);
  const indent = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const mark = /^(?:[-*+]|\d{1,9}[.)])/.exec(text.slice(start, end))?.[0] ?? "-";
  return [{ start: end, end, text: `${eol}${indent}${mark} Answer: ${answer}` }];
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function splicedText(bytes: Buffer, splice: Splice, file: string): string {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return bytes.toString("utf8");
  return withBom(read, applySplices(read.text, [splice]));
}

/** Every question is as it was, but that this one has the answer. */
function saysOnly(before: Buffer, after: string, id: string, answer: string, file: string): boolean {
  const now = readDecisions(Buffer.from(after), file);
  const was = readDecisions(before, file);
  if (now.kind === "unreadable" || was.kind === "unreadable") return false;
  const aim = was.questions.map(
    (question): Question => (question.id === id ? { ...question, answer, open: false } : question),
  );
  return areSame(aim, now.questions);
}

import { type Question, readDecisions, sameAnswers } from "./decisions.ts";
import { listQuestions } from "./list-questions.ts";
import { readTree } from "./read-tree.ts";
import { applySplices, type Splice, withBom } from "./splice.ts";

export interface BlankedAnswers {
  /** The whole DECISIONS.md; every other byte is as it was. */
  readonly text: string;
  /** The new questions as the pass wrote them, with their answers. */
  readonly answered: readonly Question[];
}

/**
 * DECISIONS.md as a pass left it, without the answers that came with its new questions: the questions are worth more
 * than the pass. Null if no new question has an answer, or if something else about the file is not a pass's to do.
 */
export function blankNewAnswers(before: Buffer | null, after: Buffer): BlankedAnswers | null {
  const [was, now] = [before, after].map((bytes) => questionsOf(bytes));
  const answered = (now ?? []).filter(({ id, open }) => !open && !was?.some((old) => old.id === id));
  const read = readTree(after, "DECISIONS.md");
  if (answered.length === 0 || read.kind === "bad") return null;
  const splices = listQuestions(read.tree, read.text)
    .filter(({ id }) => answered.some((question) => question.id === id))
    .flatMap(({ fields }) => fields.find(({ label }) => label === "answer") ?? [])
    .map(({ start, end, labelEnd, below }): Splice => ({ start: below ? start : labelEnd, end, text: "" }));
  const text = withBom(read, applySplices(read.text, splices));
  return sameAnswers(before, Buffer.from(text)).ok ? { text, answered } : null;
}

function questionsOf(bytes: Buffer | null): readonly Question[] {
  const read = bytes === null ? null : readDecisions(bytes, "DECISIONS.md");
  return read?.kind === "decisions" ? read.questions : [];
}

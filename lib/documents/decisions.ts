import { dataError, TaskPhaseError } from "../text/errors.ts";
import { errorFinding, type Finding } from "../text/finding.ts";
import { placeOf } from "../text/redact.ts";
import { shorten } from "../text/shorten.ts";
import { isUnclear } from "./closed-questions.ts";
import { type FoundQuestion, listQuestions } from "./list-questions.ts";
import { readTree } from "./read-tree.ts";
import type { Kept } from "./steps.ts";
import { mdSource } from "./templates/markdown-escape.ts";
import { renderTemplate } from "./templates/render-template.ts";

/** One question of DECISIONS.md: a heading such as `## Q1: title` with fields below. What is not written is empty. */
export interface Question {
  readonly id: string;
  readonly title: string;
  readonly askedIn: string;
  readonly askedPass: number | null;
  /** As written; ISO 8601 if it comes from the runner. */
  readonly askedAt: string;
  readonly question: string;
  readonly options: string;
  readonly safeDefault: string;
  readonly deadline: string;
  readonly answer: string;
  /** No answer is there yet, or one to a closed question that says neither yes nor no. */
  readonly open: boolean;
  /** The line of its heading, from 1. */
  readonly line: number;
}

/** The title of what the runner asks if it stops a task itself. Only a person ends such a question. */
export const goOnTitle = "How should the task continue?";

export type DecisionsRead =
  | { readonly kind: "decisions"; readonly questions: readonly Question[] }
  | { readonly kind: "unreadable"; readonly findings: readonly Finding[] };

/**
 * A question of the runner; the id is the next free one. Line breaks become spaces, hidden characters are spelled out.
 */
export interface QuestionDraft extends Pick<Question, "title" | "askedIn" | "question" | "options" | "safeDefault"> {
  readonly pass: number;
  readonly at: string;
  readonly deadline?: string;
}

export function readDecisions(bytes: Buffer, file: string): DecisionsRead {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return { kind: "unreadable", findings: read.findings };
  const questions: Question[] = [];
  const findings: Finding[] = [];
  for (const found of listQuestions(read.tree, read.text)) {
    const question = readQuestion(found, placeOf(read.text, found.start).line);
    if (questions.some((other) => other.id === question.id)) {
      const message = `the question ${question.id} appears twice`;
      const free = Math.max(...questions.map((other) => Number(other.id.slice(1)))) + 1;
      const fix = `give each question its own number, for example: \`## Q${free}: ${shorten(found.title)}\``;
      findings.push(errorFinding("TP_DECISIONS_DOUBLED", message, { file, ...placeOf(read.text, found.start), fix }));
    }
    questions.push(question);
  }
  return findings.length > 0 ? { kind: "unreadable", findings } : { kind: "decisions", questions };
}

/** The whole text of DECISIONS.md with one more question at its end; every other byte stays. */
export function appendQuestion(text: string | null, draft: QuestionDraft, file = "DECISIONS.md"): string {
  const before = text ?? "";
  const read = readDecisions(Buffer.from(before), file);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  const numbers = read.questions.map((question) => Number(question.id.slice(1)));
  const id = `Q${Math.max(0, ...numbers) + 1}`;
  const eol = before.includes("\r\n") ? "\r\n" : "\n";
  const added = renderTemplate("DECISIONS.md", {
    ...{ first: text === null, id, deadline: "" },
    ...draft,
    askedIn: `${draft.askedIn}, pass ${draft.pass}, ${draft.at}`,
  }).replaceAll("\n", eol);
  const gap = before === "" ? "" : before.endsWith(`${eol}${eol}`) ? "" : before.endsWith("\n") ? eol : eol + eol;
  const after = `${before}${gap}${added}`;
  const written = readDecisions(Buffer.from(after), file);
  const last = written.kind === "decisions" ? written.questions.at(-1) : undefined;
  if (last?.id === id && last.open && last.question === mdSource(draft.question)) return after;
  throw dataError("TP_DECISIONS_APPEND", `the question ${id} cannot be added at the end of the file`, {
    file,
    fix: "close the open code fence or HTML comment there, or move the question to the end by hand",
  });
}

/**
 * True if a pass left the questions as they were: it may add open ones, and never answers, removes or rewords one.
 */
export function sameAnswers(before: Buffer | null, after: Buffer): Kept {
  const was = before === null ? null : readDecisions(before, "DECISIONS.md");
  const now = readDecisions(after, "DECISIONS.md");
  if (now.kind === "unreadable") return { ok: false, problem: now.findings[0]?.message ?? "it cannot be read" };
  const old = was?.kind === "decisions" ? was.questions : [];
  for (const question of old) {
    const same = now.questions.find((other) => other.id === question.id);
    if (same === undefined) return { ok: false, problem: `the question ${question.id} was removed` };
    if (same.answer !== question.answer) return { ok: false, problem: `the answer to ${question.id} was changed` };
    if (!areSame([same], [question])) return { ok: false, problem: `the question ${question.id} was reworded` };
  }
  const answered = now.questions.find((other) => !other.open && !old.some((question) => question.id === other.id));
  if (answered === undefined) return { ok: true, problem: null };
  return {
    ok: false,
    problem: `the new question ${answered.id} came with an answer: "${shorten(answered.answer)}"; leave it to a person: \`- Answer:\``,
  };
}

/** True if the questions have the same words, wherever in the file they are. */
export function areSame(left: readonly Question[], right: readonly Question[]): boolean {
  const words = (questions: readonly Question[]) => JSON.stringify(questions.map((each) => ({ ...each, line: 0 })));
  return words(left) === words(right);
}

function readQuestion({ id, title, fields }: FoundQuestion, line: number): Question {
  const value = (label: string): string => fields.find((field) => field.label === label)?.value ?? "";
  const [askedIn = "", pass = "", ...at] = value("askedin")
    .split(",")
    .map((part) => part.trim());
  const number = /^pass (\d{1,9})$/i.exec(pass)?.[1];
  const answer = value("answer");
  const options = value("options");
  return {
    id,
    title,
    askedIn,
    askedPass: number === undefined ? null : Number(number),
    askedAt: at.join(", "),
    question: value("question"),
    options,
    safeDefault: value("safedefault"),
    deadline: value("deadline"),
    answer,
    open: isOpenAnswer(answer) || isUnclear({ title, options, answer }),
    line,
  };
}

const person =
  "(?:a |an |the )?(?:person|user|human|answer|decision|input|reply|response|owner|maintainer|you|someone)";
const phrases = new RegExp(
  [
    "(?:tbd|todo|to be (?:decided|determined|answered|confirmed|filled(?: in)?))(?: by [^\\n]{1,40})?",
    "unanswered|no answer(?: yet)?|not (?:yet )?answered(?: yet)?|not yet",
    `(?:awaiting|waiting (?:for|on)|pending) ${person}\\b[^\\n]{0,40}`,
  ]
    .map((form) => `(?:${form})`)
    .join("|")
    .replace(/^/, "^(?:")
    .concat(")[.!]?$"),
  "i",
);
const slots =
  /^(?:pending|open|empty|blank|waiting|awaiting|none yet|(?:your |the )?answer(?: here| goes here)?|fill (?:this |me )?in|leave (?:this )?empty|write (?:it )?here)$/i;

/**
 * True if there is no answer yet: nothing, a line of dots or dashes, `TBD`, words that say so, or, in brackets or
 * emphasis, a word that contains the place. A bare `open` or `pending` may be someone's answer.
 */
function isOpenAnswer(answer: string): boolean {
  const bare = answer.replace(/<!--[\s\S]*?-->/g, "").trim();
  const inner = /^[_*([{<`\s]+([^\n]*?)[_*)\]}>`.\s]+$/.exec(bare)?.[1];
  if (/^[\s_.…?–—*-]*$/.test(bare) || phrases.test(bare)) return true;
  return inner !== undefined && (inner === "" || phrases.test(inner) || slots.test(inner));
}

import type { Facts, Tamper } from "./facts.ts";
import type { OpenAsk } from "./standing-facts.ts";

interface WrittenQuestion {
  readonly safeDefault: string;
  readonly deadline: string;
  /** By the question's own words. */
  readonly askedAt: string;
}

interface AskedWords extends Pick<OpenAsk, "id" | "title" | "question"> {
  readonly deadline: string;
}

type QuestionWait =
  | { readonly kind: "person"; readonly why: string }
  /** Epoch milliseconds from which the safe default may be taken. */
  | { readonly kind: "until"; readonly at: number };

/**
 * Until the deadline, and at least `waitMs` after it was asked. `noted`: when the runner first saw it open, which
 * overrides the question's own words; null: a person wrote it. Without a known time, the wait counts from the deadline.
 */
export function waitOf(question: WrittenQuestion, noted: string | null, waitMs: number): QuestionWait {
  if (isNothing(question.safeDefault)) return { kind: "person", why: "no safe default" };
  if (isNothing(question.deadline)) return { kind: "person", why: "no deadline" };
  const deadline = readMoment(question.deadline);
  if (deadline === null) return { kind: "person", why: "its deadline is not a time such as 2026-01-31T10:30:00Z" };
  const asked = (noted === null ? null : readMoment(noted)) ?? readMoment(question.askedAt) ?? deadline;
  return { kind: "until", at: Math.max(deadline, asked + waitMs) };
}

/** Why a person cannot answer it as it was asked; null if it has words, and a valid deadline or none. */
export function askProblem({ id, title, question, deadline }: AskedWords): string | null {
  if (isNothing(title) && isNothing(question)) return `${id} asks nothing: fill in Question`;
  if (isNothing(deadline) || readMoment(deadline) !== null) return null;
  return `the deadline of ${id} is "${deadline}", and not a time such as 2026-01-31T10:30:00Z; leave it empty if it has to wait for a person`;
}

/**
 * The open questions that this pass asked; no pass begins while one is open. A question that its own pass answers
 * counts as not asked, and DECISIONS.md is among the restored files.
 */
export function judgeAsked(
  open: readonly AskedWords[],
  putBack: readonly Tamper[],
): Pick<Facts, "questions_asked" | "question_problems"> {
  const answered = putBack.some(({ path }) => path === "DECISIONS.md");
  const asked = answered ? [] : open.filter((question) => askProblem(question) === null);
  return {
    questions_asked: asked.map(({ id }) => id),
    question_problems: open.flatMap((question) => askProblem(question) ?? []),
  };
}

function isNothing(text: string): boolean {
  const word = text.replace(/^[\s*_`~]+|[\s*_`~.]+$/g, "").toLowerCase();
  return ["", "none", "n/a", "tbd", "todo", "?", "-", "–", "—", "…"].includes(word);
}

const moment = /^(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Epoch milliseconds of an ISO 8601 time with a zone, ignoring marks around it. */
function readMoment(text: string): number | null {
  const bare = text.replace(/^[\s*_`~]+|[\s*_`~]+$/g, "");
  const parts = moment.exec(bare);
  if (parts === null) return null;
  // Date.parse rolls a 31st over into the next month.
  const days = new Date(Date.UTC(Number(parts[1]), Number(parts[2]), 0)).getUTCDate();
  const at = Date.parse(bare.replace(" ", "T").toUpperCase());
  return Number.isNaN(at) || Number(parts[3]) > days ? null : at;
}

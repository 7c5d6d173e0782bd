/** The deadline of a question in DECISIONS.md, as written. */
export interface WrittenQuestion {
  readonly safeDefault: string;
  readonly deadline: string;
  /** When it was asked, by its own words. */
  readonly askedAt: string;
}

/** The words of a question that a pass may have written in a form of its own. */
export interface AskedWords {
  readonly title: string;
  readonly question: string;
  readonly deadline: string;
}

export type QuestionWait =
  /** Nobody but a person ends it. */
  | { readonly kind: "person"; readonly why: string }
  /** From this moment on (epoch milliseconds) the safe default may be taken. */
  | { readonly kind: "until"; readonly at: number };

/**
 * How long an open question waits for a person: until its deadline, and at least `waitMs` after it was asked. `noted`
 * is when the runner itself first saw it open, which counts before anything that the question says; null: a person
 * put it there. If nobody knows when it was asked, the wait counts from the deadline.
 */
export function waitOf(question: WrittenQuestion, noted: string | null, waitMs: number): QuestionWait {
  if (!hasSafeDefault(question.safeDefault)) return { kind: "person", why: "no safe default" };
  if (isNothing(question.deadline)) return { kind: "person", why: "no deadline" };
  const deadline = readMoment(question.deadline);
  if (deadline === null) return { kind: "person", why: "its deadline is not a time such as 2026-01-31T10:30:00Z" };
  const asked = (noted === null ? null : readMoment(noted)) ?? readMoment(question.askedAt) ?? deadline;
  return { kind: "until", at: Math.max(deadline, asked + waitMs) };
}

/** True if a person can answer it: it has words of its own, and a deadline that is a time, or none. */
export function isWellAsked({ title, question, deadline }: AskedWords): boolean {
  const timed = isNothing(deadline) || readMoment(deadline) !== null;
  return timed && !(isNothing(title) && isNothing(question));
}

/** False for an empty default and for what stands for none. */
export function hasSafeDefault(text: string): boolean {
  return !isNothing(text);
}

function isNothing(text: string): boolean {
  const word = text.replace(/^[\s*_`~]+|[\s*_`~.]+$/g, "").toLowerCase();
  return ["", "none", "n/a", "tbd", "todo", "?", "-", "–", "—", "…"].includes(word);
}

const moment = /^(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Epoch milliseconds of an ISO 8601 time with its zone, marks around it aside; null for anything else. */
function readMoment(text: string): number | null {
  const bare = text.replace(/^[\s*_`~]+|[\s*_`~]+$/g, "");
  const parts = moment.exec(bare);
  if (parts === null) return null;
  // Date.parse takes the 31st of a month of 30 days for the 1st of the next.
  const days = new Date(Date.UTC(Number(parts[1]), Number(parts[2]), 0)).getUTCDate();
  const at = Date.parse(bare.replace(" ", "T").toUpperCase());
  return Number.isNaN(at) || Number(parts[3]) > days ? null : at;
}

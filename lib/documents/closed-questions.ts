import { type PlainAnswer, readPlainAnswer } from "../rules/plain-answer.ts";

/** A question of the runner that is answered yes or no: the words that it offers, and what each of them leads to. */
export interface ClosedForm extends Readonly<Record<PlainAnswer, { readonly word: string; readonly means: string }>> {
  readonly title: string;
}

/** By the cause of the stop that asks. */
export const closedForms = {
  /** Tests or checks changed. A yes keeps exactly these changes. */
  watched: {
    title: "May these changes of tests and checks stay?",
    yes: { word: "accept", means: "exactly these changes stay" },
    no: { word: "undo", means: "each of them becomes a ticket" },
  },
  /** A person has to look before `done`. */
  manual: {
    title: "Is what you see as it should be?",
    yes: { word: "yes", means: "all of it is as it should be" },
    no: { word: "no: what is wrong", means: "it becomes a ticket" },
  },
  approve: {
    title: "Is this the right frame?",
    yes: { word: "approve", means: "the work begins" },
    no: { word: "no: what to change", means: "the next pass changes the frame" },
  },
} as const satisfies Readonly<Record<string, ClosedForm>>;

/** Options as the question prints them. Each of them, copied whole, is read as what it offers. */
export function optionsOf({ yes, no }: ClosedForm): string {
  return `\`${yes.word}\`: ${yes.means}; \`${no.word}\`: ${no.means}`;
}

/** The form of a question; null if any words answer it, whatever its title is. */
export function closedForm({ title, options }: { readonly title: string; readonly options: string }) {
  const flat = options.replace(/\s+/g, " ");
  return (
    Object.values<ClosedForm>(closedForms).find((form) => form.title === title && optionsOf(form) === flat) ?? null
  );
}

/** True if somebody wrote an answer to a closed question that says neither of the two. */
export function isUnclear(question: { readonly title: string; readonly options: string; readonly answer: string }) {
  return question.answer !== "" && closedForm(question) !== null && readPlainAnswer(question.answer) === null;
}

/** What to write instead, for example `accept` or `undo`. */
export function wordsOf({ yes, no }: ClosedForm): string {
  return `\`${yes.word}\` or \`${no.word}\``;
}

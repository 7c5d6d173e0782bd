import type { ReviewFinding } from "../../rules/facts.ts";
import type { PromptData } from "./prompt.ts";
import { renderTemplate } from "./render-template.ts";

/** The points that one role judges: in review the diff and the result, in shape the frame. */
interface RoleRule {
  readonly matter: string;
  readonly review: readonly string[];
  readonly shape: readonly string[];
}

/** The one table of what reviewers are asked. */
export const roleRules: Readonly<Record<string, RoleRule>> = {
  architecture: {
    matter: "where code lives, what depends on what, and what will be hard to change",
    review: [
      "Does the change fit the existing structure, or does it build a second one beside it?",
      "Does something now depend on what it should not know, or exist in two places?",
      "Is there code that nothing uses, or a layer that nothing needs?",
      "Will the next change of this kind be easy to make?",
    ],
    shape: [
      "Can the objective be reached in the existing structure? Does the frame name what has to change in it?",
      "Are the reality constraints complete: data that exists, interfaces that others use, what must keep working?",
      "Is the task small enough to be finished and proven as one?",
    ],
  },
  security: {
    matter: "what an attacker, a broken input or a leaked file could do",
    review: [
      "Where does text from outside (a request, a file, a program's output) reach a command, a query, a path, a page or a log?",
      "Is every permission, login or owner checked wherever it has to be, also on error paths?",
      "Is there a secret in the code, a log, a test or the proof?",
      "Does a new dependency, permission or setting open more than the task needs?",
    ],
    shape: [
      "What here is worth attacking, and does the frame say how it is kept safe?",
      "Does the objective ask for permissions, data or access that it does not need?",
      "Does the validation plan show what must not be possible, beside what must work?",
    ],
  },
  tests: {
    matter: "whether the checks would notice if the work were wrong",
    review: [
      "Would each test fail if the behaviour that it names were broken? Think of the change that it would not notice.",
      "Which behaviour of the brief has no test: errors, limits, empty and hostile input?",
      "Was a test or a check weakened, skipped, removed, or made to repeat what the code does?",
      "Do the tests depend on time, order, network or the machine?",
    ],
    shape: [
      "Is each part of the Done gate something that a command or an observation can show?",
      "Would the contract's checks notice a result that is wrong, faked or half done?",
      "Which failure that matters would nobody see?",
    ],
  },
  requirements: {
    matter: "whether this is what was asked for: all of it, and nothing else",
    review: [
      "Go through the brief and the Done gate sentence by sentence: where in the result is each one met?",
      "What was built that nobody asked for, or that is listed under Not doing?",
      "Is anything faked: a stub, canned data, a backend that does not exist?",
      "Do STATE.md, EVIDENCE.md and the files under artifacts/ agree with what the code really does?",
    ],
    shape: [
      "Do Objective and Done gate say what the brief asks for, without loss and without addition?",
      "Is a sentence of the brief open to two readings, and does the frame choose one silently?",
      "Does Not doing exclude something that the brief asks for?",
    ],
  },
  usability: {
    matter: "what a person experiences who uses the result",
    review: [
      "Can a person who does not know the code do what the brief promises, from start to end?",
      "What do they see when something is missing, wrong, slow or empty? Does a message say what to do?",
      "Are words, keys, formats and defaults consistent with the rest of the product?",
      "Can it be used with a keyboard, a screen reader, a small screen, another language, if that applies?",
      "Do the documents explain what changed?",
    ],
    shape: [
      "Does the frame say who uses the result, and what they can do afterwards?",
      "Are the failure cases part of the Done gate?",
      "Does it promise a feature that a user would get half finished?",
    ],
  },
};

/** The values of a reviewer's prompt. All but the role's own lines is taken as hostile. */
export interface ReviewPromptData extends Pick<PromptData, "pass" | "task" | "repo" | "brief" | "stateText"> {
  readonly role: string;
  readonly phase: "shape" | "review";
  /** Without a path: why there is no diff. */
  readonly diff: { readonly path: string | null; readonly note: string };
  readonly earlier: readonly ReviewFinding[];
  /** How many findings a report may have. */
  readonly most: number;
}

/** The prompt of one reviewer, as Markdown that ends with a newline. Throws for a role that the table does not have. */
export function renderReviewPrompt(data: ReviewPromptData): string {
  const rule = roleRules[data.role];
  if (rule === undefined) throw new Error(`there is no reviewer for ${data.role}`);
  return renderTemplate("review-prompt.md", {
    ...data,
    role: { name: data.role, matter: rule.matter },
    asks: rule[data.phase],
  });
}

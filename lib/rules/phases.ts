/** The one table of phases, for code, prompts, help, README and the Mermaid diagram. */
export const phaseNames = [
  "intake",
  "shape",
  "implement",
  "verify",
  "review",
  "repair",
  "done",
  "blocked",
  "needs_user_decision",
] as const;

export type Phase = (typeof phaseNames)[number];

export interface PhaseRule {
  readonly name: Phase;
  /** Phases that a pass may propose besides staying. Empty: terminal for a model. */
  readonly next: readonly Phase[];
  readonly meaning: string;
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
  /** The condition for leaving the phase forward, in one sentence. */
  readonly out: string;
  readonly changesCode: boolean;
}

const decided: readonly Phase[] = ["blocked", "needs_user_decision"];

export const phases: Readonly<Record<Phase, PhaseRule>> = {
  intake: {
    name: "intake",
    next: ["shape"],
    meaning: "The objective is not locked. Read the brief and the repo, and state what is wanted.",
    allowed: [
      "read anything in the repo",
      "fill Objective, Done gate, Not doing and Reality constraints in STATE.md",
      "ask a question in DECISIONS.md",
    ],
    forbidden: ["change code in the repo", "start on a solution"],
    out: "Objective, Done gate, Not doing and Reality constraints can be stated.",
    changesCode: false,
  },
  shape: {
    name: "shape",
    next: ["implement", ...decided],
    meaning: "The frame is locked and turned into execution criteria.",
    allowed: [
      "read anything in the repo",
      "fill Validation plan and Next step in STATE.md",
      "list the user-visible features under Visible features, if the task is user-facing",
      "add steps to TASKS.md",
    ],
    forbidden: ["change code in the repo", "widen the objective"],
    out: "The kickoff frame is complete, including the validation plan and, if the task is user-facing, the feature checklist.",
    changesCode: false,
  },
  implement: {
    name: "implement",
    next: ["verify", ...decided],
    meaning: "The main work. It may take several passes.",
    allowed: [
      "change what the objective needs in the repo, and nothing else",
      "write proof of what now works under artifacts/",
      "tick what is done in TASKS.md",
    ],
    forbidden: [
      "touch anything listed under Not doing",
      "weaken, skip or delete a test or a check",
      "claim the task is done",
    ],
    out: "A candidate and a path to its evidence exist.",
    changesCode: true,
  },
  verify: {
    name: "verify",
    next: ["review", "repair", ...decided],
    meaning: "Truth-first validation of the claim. Look for what is not true.",
    allowed: [
      "run anything that shows whether the claim holds",
      "mark each failed category under Findings, one item each",
      "small corrections that the validation itself needs",
    ],
    forbidden: ["broad new feature work", "hide or explain away a failure"],
    out: "All required gates pass, or the known failures go to repair.",
    changesCode: true,
  },
  review: {
    name: "review",
    next: ["done", "repair", "needs_user_decision"],
    meaning:
      "Quality of the diff and the result: it matches the objective, no fake backend, no visible half-working feature, documents and artifacts agree, the change is minimal.",
    allowed: ["read the diff and the result", "list defects under Findings, one item each", "set Candidate done"],
    forbidden: ["change code in the repo"],
    out: "No defect is left that speaks against done, or the defects go to repair.",
    changesCode: false,
  },
  repair: {
    name: "repair",
    next: ["verify", ...decided],
    meaning: "A bounded fix of the tickets at hand.",
    allowed: [
      "fix the tickets listed in this prompt, one at a time",
      "hide or disable a feature that is not true",
      "write proof of each fix under artifacts/",
    ],
    forbidden: ["new open-ended building", "work that no ticket asks for", "weaken, skip or delete a test or a check"],
    out: "The tickets are dealt with; back to verify, always.",
    changesCode: true,
  },
  done: {
    name: "done",
    next: [],
    meaning: "Proven by the runner.",
    allowed: [],
    forbidden: [],
    out: "Only a person reopens it, at intake.",
    changesCode: false,
  },
  blocked: {
    name: "blocked",
    next: [],
    meaning: "Something outside the task is in the way; Blockers says what.",
    allowed: [],
    forbidden: [],
    out: "A person clears it and sets a working phase.",
    changesCode: false,
  },
  needs_user_decision: {
    name: "needs_user_decision",
    next: [],
    meaning: "A person must decide; DECISIONS.md holds the question.",
    allowed: [],
    forbidden: [],
    out: "A person answers, or sets a working phase.",
    changesCode: false,
  },
};

export const workingPhases: readonly Phase[] = phaseNames.filter((name) => phases[name].next.length > 0);

export function isPhase(word: string): word is Phase {
  return (phaseNames as readonly string[]).includes(word);
}

export function isWorkingPhase(phase: Phase): boolean {
  return phases[phase].next.length > 0;
}

/** Staying is always allowed in a working phase. */
export function mayPropose(from: Phase, to: Phase): boolean {
  return isWorkingPhase(from) && (from === to || phases[from].next.includes(to));
}

import type { TaskHistory } from "./history.ts";
import type { Phase } from "./phases.ts";
import type { VerdictEvent } from "./verdict-event.ts";

/** Every standing of a task, in the order in which a list of tasks counts them. */
export const standings = [
  "asks",
  "stuck",
  "blocked",
  "unreadable",
  "running",
  "runnable",
  "cooling",
  "waits",
  "paused",
  "cancelled",
  "done",
] as const;
export type Standing = (typeof standings)[number];

/** The one answer to where a task is, and who must act. Everything that shows a task shows this. */
export interface StandingAnswer {
  readonly standing: Standing;
  /** A few words, as in Status of STATE.md. */
  readonly brief: string;
  /** One sentence without a full stop. */
  readonly why: string;
  /** Who brings it on: a person, the next call of the runner, the tasks that it waits for, or nobody. */
  readonly who: "person" | "runner" | "tasks" | "nobody";
  /** The next call of the runner would call a model; what it has to judge or to recover first needs none. */
  readonly callsModel: boolean;
  /** When it could continue by itself, ISO 8601, UTC; null if no time is known. */
  readonly until: string | null;
  /** `amber`: done, and less is shown than a reader would expect. */
  readonly tone: "good" | "amber" | "working" | "asking" | "stopped" | "quiet";
}

/** An open question of DECISIONS.md. */
export interface OpenAsk {
  readonly id: string;
  readonly title: string;
  /** The task's own words below the title; empty if there are none. */
  readonly question: string;
  /** What may be answered, as written; empty if it is open. */
  readonly options: string;
  /** The answer that counts once the deadline has passed, as written; empty if only a person answers. */
  readonly safeDefault: string;
  /** The runner itself asks how to continue after its stop. */
  readonly ofStop: boolean;
  /** For example `DECISIONS.md:12`. */
  readonly place: string;
  /** What ends it, for example `it waits for a person`; empty if that is not known. */
  readonly end: string;
  /** When its safe default is taken, ISO 8601, UTC; null if only a person ends it. */
  readonly takenFrom: string | null;
  /** True if that time has come. */
  readonly due: boolean;
}

/** Why no model can be called although the task is next. */
export interface Hindered {
  readonly why: string;
  readonly until: string | null;
}

export interface StandingFacts {
  readonly history: Pick<TaskHistory, "stop" | "askedFrom" | "cancelled"> & {
    readonly lastVerdict: EndingVerdict | null;
  };
  /** As the journal has it, else as STATE.md has it; null if neither is known. */
  readonly phase: Phase | null;
  /** Blockers of STATE.md. */
  readonly blockers: string;
  readonly questions: readonly OpenAsk[];
  /** Every question of this stop is answered. */
  readonly answered: boolean;
  /** Why the task cannot be read; null if it can. */
  readonly unreadable: string | null;
  /** A runner holds it now. */
  readonly locked: boolean;
  /** Its last run was cut off. */
  readonly cutOff: boolean;
  /** What is wrong with its dependencies; null if nothing is. */
  readonly wrong: string | null;
  /** STATE.md differs from the last accepted one. */
  readonly edited: boolean;
  /** Why a person holds it back in CONTROL.md; null if nobody does. */
  readonly paused: string | null;
  /** A person's RETRY waits in CONTROL.md. */
  readonly retry: boolean;
  readonly waitsFor: readonly string[];
  /** When the first model can be called again, if every one cools down; ISO 8601, UTC. */
  readonly coolingUntil: string | null;
  readonly hindered: Hindered | null;
  /** How the repo differs from that of `done`; null if it does not, or nobody looked. */
  readonly moved: Moved | null;
}

/** What the journal and the files of a task say alone: nobody holds it, no model cools down, nothing hinders. */
export const nothingElse = {
  questions: [],
  answered: false,
  unreadable: null,
  locked: false,
  cutOff: false,
  wrong: null,
  edited: false,
  paused: null,
  retry: false,
  waitsFor: [],
  coolingUntil: null,
  hindered: null,
  moved: null,
} as const satisfies Partial<StandingFacts>;

/** How the code of the repo differs from the code that `done` was said of. */
export type Moved =
  | { readonly kind: "paths"; readonly count: number }
  /** The reason why the differing paths are not known here. */
  | { readonly kind: "unknown"; readonly reason: string }
  /** The repo is here and cannot be read, so whether it differs is not known. */
  | { readonly kind: "unseen"; readonly reason: string };

/** What is asked of a verdict that says `done`. */
export type EndingVerdict = Pick<VerdictEvent, "verdict" | "to" | "checks" | "proof">;

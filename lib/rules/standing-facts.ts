import type { Held } from "./held.ts";
import type { TaskHistory } from "./history.ts";
import type { Phase } from "./phases.ts";
import type { VerdictEvent } from "./verdict-event.ts";

/** In the order of a list's counts. */
export const standings = [
  "asks",
  "stuck",
  "blocked",
  "refused",
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

/** The one answer to where a task is and who must act. All views show it. */
export interface StandingAnswer {
  readonly standing: Standing;
  /** A few words, as in Status of STATE.md. */
  readonly brief: string;
  /** One sentence without a full stop. */
  readonly why: string;
  readonly who: "person" | "runner" | "tasks" | "nobody";
  /** The runner's next call would call a model, not only judge or recover. */
  readonly callsModel: boolean;
  /** When it could continue by itself, ISO 8601, UTC. */
  readonly until: string | null;
  /** `amber`: done, with less shown than a reader would expect. */
  readonly tone: "good" | "amber" | "working" | "asking" | "stopped" | "quiet";
}

export interface OpenAsk {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  /** As written in the question; empty if any answer will do. */
  readonly options: string;
  /** Counts after the deadline, as written; empty if only a person answers. */
  readonly safeDefault: string;
  /** The runner asks how to continue after its stop. */
  readonly ofStop: boolean;
  /** Such as `DECISIONS.md:12`. */
  readonly place: string;
  /** Such as `it waits for a person`; empty if unknown. */
  readonly end: string;
  /** When the safe default is taken, ISO 8601, UTC; null if only a person answers. */
  readonly takenFrom: string | null;
  readonly due: boolean;
}

export interface Hindered {
  readonly why: string;
  /** The command that mends it or explains how; absent: `task-phase check` explains it. */
  readonly mend?: string;
  readonly until: string | null;
}

export interface StandingFacts {
  /** The name as a person types it. */
  readonly name: string;
  readonly history: Pick<TaskHistory, "stop" | "askedFrom" | "cancelled"> & {
    readonly lastVerdict: EndingVerdict | null;
  };
  /** From the journal, else STATE.md. */
  readonly phase: Phase | null;
  readonly blockers: string;
  readonly questions: readonly OpenAsk[];
  /** Every question of this stop is answered. */
  readonly answered: boolean;
  readonly unreadable: string | null;
  readonly locked: boolean;
  readonly cutOff: boolean;
  readonly wrong: string | null;
  readonly edited: boolean;
  /** Since the task was done. */
  readonly briefEdited: boolean;
  readonly paused: string | null;
  readonly retry: boolean;
  readonly waitsFor: readonly string[];
  /** When the first model ends its cooldown, if all have one; ISO 8601, UTC. */
  readonly coolingUntil: string | null;
  readonly hindered: Hindered | null;
  /** Readers of this machine look at a pause and at other tasks themselves: `refused` and `runnable` alone are theirs. */
  readonly held: Held | null;
  /** The repo's difference from `done`; null if none, or not compared. */
  readonly moved: Moved | null;
}

/** Without locks, cooldowns and hindrances. */
export const nothingElse = {
  name: "TASK",
  questions: [],
  answered: false,
  unreadable: null,
  locked: false,
  cutOff: false,
  wrong: null,
  edited: false,
  briefEdited: false,
  paused: null,
  retry: false,
  waitsFor: [],
  coolingUntil: null,
  hindered: null,
  held: null,
  moved: null,
} as const satisfies Partial<StandingFacts>;

export type Moved =
  | { readonly kind: "paths"; readonly count: number }
  /** Why the differing paths are unknown. */
  | { readonly kind: "unknown"; readonly reason: string }
  /** The repo cannot be read, so any difference is unknown. */
  | { readonly kind: "unseen"; readonly reason: string };

export type EndingVerdict = Pick<VerdictEvent, "verdict" | "to" | "checks" | "proof">;

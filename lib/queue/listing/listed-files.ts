import type { Contract } from "../../documents/contract.ts";
import type { Question } from "../../documents/decisions.ts";
import { emptyHistory, type TaskHistory } from "../../rules/history.ts";
import type { Phase } from "../../rules/phases.ts";
import type { Hindered } from "../../rules/standing-facts.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { ownText } from "../../text/own-text.ts";

/** What a list of tasks needs of a contract. */
export type ListedBrief = ReturnType<typeof toListedBrief>;

/** What a list of tasks needs of a journal. */
type ListedHistory = ReturnType<typeof toListedHistory>;

/**
 * What the own files of a task say, as far as a list of tasks shows it. A pure function of those files and of the
 * defaults of the configuration: nothing in it depends on the clock, on locks or on other tasks.
 */
export interface ListedFiles {
  readonly brief: ListedBrief;
  /** What the task lacks before its first pass; null: nothing. */
  readonly hindered: Hindered | null;
  /** The phase in STATE.md. */
  readonly phase: Phase;
  readonly blockers: string;
  /** STATE.md differs from the last accepted one. */
  readonly edited: boolean;
  /** The task is done, and its brief is not the one that it was done by. */
  readonly briefEdited: boolean;
  readonly history: ListedHistory;
  /** When the newest event that judged or moved the task was recorded, ISO 8601, UTC; null before the first. */
  readonly movedAt: string | null;
  readonly questions: readonly Question[];
  /** Why CONTROL.md holds the task back; null: it does not. */
  readonly paused: string | null;
  /** RETRY waits in CONTROL.md. */
  readonly retry: boolean;
  /** Something has the name of the evidence page. */
  readonly hasPage: boolean;
  /** Whether STATE.md, EVIDENCE.md and DECISIONS.md are there. */
  readonly hasState: boolean;
  readonly hasEvidence: boolean;
  readonly hasDecisions: boolean;
  /** Something in the task folder is called `.git`. */
  readonly hasGit: boolean;
}

/** What was read of a task earlier, and the figures of its files as they were then. */
export interface IndexedRow {
  readonly kind: "read";
  /** Name of the folder. */
  readonly name: string;
  readonly files: ListedFiles;
  /** The name of its anchor, which is a hash of its path. */
  readonly anchor: string;
  /** Bit n: the nth of `stampedNames` is there. */
  readonly present: number;
}

export function toListedBrief(contract: Contract) {
  const { priority, dependsOn, provenOnly, repo, questionWaitMs, validators, scenarios, heldOut } = contract;
  return {
    id: ownText(contract.id),
    title: ownText(contract.title),
    priority,
    dependsOn,
    provenOnly,
    repo,
    questionWaitMs,
    validators,
    scenarios,
    heldOut,
    budget: { moneyUsd: contract.budget.moneyUsd },
  };
}

export function toListedHistory(history: TaskHistory) {
  const { phase, lastPass, counts, spend, degrade, askedAt, defaulted, run, tickets, stop, lastVerdict } = history;
  const { cancelled, started, held, askedFrom, stoppedIn, unfinishedPass, claimed } = history;
  return {
    ...{ phase, lastPass, counts, spend, degrade, askedAt, defaulted, run, tickets, stop },
    ...{ cancelled, started, held, askedFrom, stoppedIn, unfinishedPass, claimed },
    lastVerdict: lastVerdict === null ? null : toListedVerdict(lastVerdict),
  };
}

function toListedVerdict({ pass, verdict, from, to, reason, at, made, checks, proof }: VerdictEvent) {
  return { pass, verdict, from, to, reason, at, made, checks, proof };
}

/** The history of a task without a journal. */
export const noHistory = toListedHistory(emptyHistory);

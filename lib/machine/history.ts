import type { FrameAnswer, FrameAsked } from "./approval.ts";
import type { CheckResult, CheckRun, CheckStatus } from "./check-run.ts";
import type { Ticket } from "./decision.ts";
import type { DegradeStep, ReviewedEvent } from "./events.ts";
import type { HistoryCounts } from "./facts.ts";
import type { LookAnswer, LookAsked } from "./manual.ts";
import type { Phase } from "./phases.ts";
import type { RunnerStop } from "./runner-stop.ts";
import { noSpend, type Spend } from "./spend.ts";
import type { Calibration, SquareFacts } from "./square.ts";
import type { KnownCounts } from "./test-counts.ts";
import type { VerdictEvent } from "./verdict-event.ts";
import type { WatchedChange, WatchedDigest } from "./watched-change.ts";

/** A claim that came before baseline and reviewers. */
export interface ClaimedAhead {
  readonly pass: number;
  readonly attempt: string;
  readonly model: string;
  /** Of all its reviewers together, in US dollars; null if nothing tells. */
  readonly reviewsUsd: number | null;
  readonly reviewers: number;
}

/** The history of a task from its journal. Every counter comes from here. */
export interface TaskHistory {
  /** Null if nothing was accepted yet. */
  readonly phase: Phase | null;
  /** The whole text of the last accepted STATE.md; null if there is none. */
  readonly state: string | null;
  readonly contractSha256: string | null;
  /** The number of the newest pass, 0 before the first. */
  readonly lastPass: number;
  readonly counts: HistoryCounts;
  /** The model of the pass that started last; null before the first. */
  readonly startedModel: string | null;
  /** Passes that were started with each model, by name, whatever their verdict. */
  readonly started: Readonly<Record<string, number>>;
  readonly spend: Spend;
  /** How the passes are made cheaper at present. */
  readonly degrade: readonly DegradeStep[];
  /** The newest report of each reviewer, by role. */
  readonly reviews: Readonly<Record<string, ReviewedEvent>>;
  /** When each question that is open was first seen open at the end of a pass, ISO 8601, by id. */
  readonly askedAt: Readonly<Record<string, string>>;
  /** Ids of the questions whose safe default was taken. */
  readonly defaulted: readonly string[];
  /** The newest call of the loop that worked on this task, how many passes it has started, and when the last. */
  readonly run: { readonly id: string; readonly passes: number; readonly at: string } | null;
  /** Of the pass that started last. */
  readonly estimateUsd: number | null;
  /** The pass that a runner claimed and did not begin yet; null if there is none. */
  readonly claimed: ClaimedAhead | null;
  readonly lastVerdict: VerdictEvent | null;
  /** Open tickets, for the prompt. */
  readonly tickets: readonly Ticket[];
  /** Fingerprint of the accepted verify → review that led to the current review. */
  readonly reviewedFingerprint: string | null;
  readonly baseline: ReadonlyMap<string, CheckStatus> | null;
  /** The fingerprint that the baseline ran on; null before it. */
  readonly baselineFingerprint: string | null;
  /** Everything that the baseline showed, for the cells that are equal to it. */
  readonly baselineResults: readonly CheckResult[];
  /** Whether the repo can be judged in a clean copy; null before the baseline. */
  readonly calibration: Calibration | null;
  /** The fingerprint of the work as at pass 1; null if it was not kept. */
  readonly origin: string | null;
  /** The sha256 of the list of what the folders of dependencies held at pass 1; null if it was not made. */
  readonly dependencies: string | null;
  /** Digests of the held-out folders, by the scenario's name, as at pass 1 or the last edit of the brief. */
  readonly heldOut: Readonly<Record<string, string>>;
  /** The result of the proof square at the accepted verify → review that led to the present review. */
  readonly square: SquareFacts | null;
  /** The most tests that each check ran, at the baseline or since. */
  readonly testCounts: KnownCounts;
  readonly pinned: Readonly<Record<string, string>> | null;
  /** The newest file that says what is watched, and its digest; null before the first pass. */
  readonly watch: { readonly file: string; readonly sha256: string } | null;
  /** A person edited the brief since, which may say that more is watched. */
  readonly watchStale: boolean;
  /** A person's answers to watched changes, by exact digest. */
  readonly watchAnswers: { readonly accepted: readonly WatchedDigest[]; readonly refused: readonly WatchedDigest[] };
  /** The changes that the runner last asked about, until someone answers. */
  readonly watchAsked: readonly WatchedChange[];
  /** A person's answers about manual scenarios, in the order of the journal. */
  readonly looks: readonly LookAnswer[];
  /** What the runner last asked a person to look at, until someone answers. */
  readonly lookAsked: LookAsked | null;
  /** A person's answers about frames, in the order of the journal. */
  readonly approvals: readonly FrameAnswer[];
  readonly frameAsked: FrameAsked | null;
  /** A person edited the brief after the protected paths were pinned. */
  readonly pinsStale: boolean;
  /** The newest checks that still count; a person's edit of the brief makes them void. */
  readonly checks: CheckRun | null;
  /** How the runner itself last stopped the task; null if it did not since the task was opened. */
  readonly stop: RunnerStop | null;
  /** When a person cancelled the task, ISO 8601, UTC; null if nobody did, or it was let continue since. */
  readonly cancelled: string | null;
  /** The phase that a move to needs_user_decision came from. */
  readonly askedFrom: Phase | null;
  /** The working phase in which the task last came to a stop: that a move to blocked or needs_user_decision came from. */
  readonly stoppedIn: Phase | null;
  /** Names of visible features that were accepted and that no person took out. */
  readonly knownFeatures: readonly string[];
  /** A pass that started and has no verdict. */
  readonly unfinishedPass: number | null;
}

export const emptyHistory: TaskHistory = {
  phase: null,
  state: null,
  contractSha256: null,
  lastPass: 0,
  counts: { passes: 0, repairs: 0, failure: null, timeouts_in_row: 0 },
  startedModel: null,
  started: {},
  spend: noSpend,
  degrade: [],
  reviews: {},
  askedAt: {},
  defaulted: [],
  run: null,
  estimateUsd: null,
  claimed: null,
  lastVerdict: null,
  tickets: [],
  reviewedFingerprint: null,
  baseline: null,
  baselineFingerprint: null,
  baselineResults: [],
  calibration: null,
  origin: null,
  dependencies: null,
  heldOut: {},
  square: null,
  testCounts: {},
  pinned: null,
  watch: null,
  watchStale: false,
  watchAnswers: { accepted: [], refused: [] },
  watchAsked: [],
  looks: [],
  lookAsked: null,
  approvals: [],
  frameAsked: null,
  pinsStale: false,
  checks: null,
  stop: null,
  cancelled: null,
  askedFrom: null,
  stoppedIn: null,
  knownFeatures: [],
  unfinishedPass: null,
};

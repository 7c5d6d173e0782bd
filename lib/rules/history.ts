import type { FrameAnswer, FrameAsked } from "./approval.ts";
import type { CheckResult, CheckRun, CheckStatus } from "./check-run.ts";
import type { Ticket } from "./decision.ts";
import type { DegradeStep, ReviewedEvent } from "./events.ts";
import type { HistoryCounts } from "./facts.ts";
import type { Held } from "./held.ts";
import type { ManualAnswer, ManualAsked } from "./manual.ts";
import type { MatrixFacts } from "./matrix.ts";
import type { Phase } from "./phases.ts";
import type { RunnerStop } from "./runner-stop.ts";
import { noSpend, type Spend } from "./spend.ts";
import type { KnownCounts } from "./test-counts.ts";
import type { VerdictEvent } from "./verdict-event.ts";
import type { WatchedChange, WatchedDigest } from "./watched.ts";

interface ClaimedAhead {
  readonly pass: number;
  readonly attempt: string;
  readonly model: string;
  /** All its reviewers, in US dollars; null if unknown. */
  readonly reviewsUsd: number | null;
  readonly reviewers: number;
}

/** The history of a task from its journal, with every counter. */
export interface TaskHistory {
  readonly phase: Phase | null;
  readonly state: string | null;
  readonly contractSha256: string | null;
  /** 0 before the first. */
  readonly lastPass: number;
  readonly counts: HistoryCounts;
  readonly startedModel: string | null;
  /** When the newest pass started, ISO 8601. */
  readonly startedAt: string | null;
  /** Number of started passes by model, whatever their verdict. */
  readonly started: Readonly<Record<string, number>>;
  readonly spend: Spend;
  readonly degrade: readonly DegradeStep[];
  readonly reviews: Readonly<Record<string, ReviewedEvent>>;
  /** When a pass first ended with this question open, ISO 8601, by id. */
  readonly askedAt: Readonly<Record<string, string>>;
  /** Ids of the questions whose safe default was taken. */
  readonly defaulted: readonly string[];
  /** The newest call of the loop that worked on this task, the passes of models that it started, and when the last pass was. */
  readonly run: { readonly id: string; readonly passes: number; readonly at: string } | null;
  readonly estimateUsd: number | null;
  readonly claimed: ClaimedAhead | null;
  readonly lastVerdict: VerdictEvent | null;
  /** For the prompt. */
  readonly tickets: readonly Ticket[];
  /** From the accepted verify → review that led to the current review. */
  readonly reviewedFingerprint: string | null;
  /** The accepted verdict, until a person reopens the task or edits the brief. */
  readonly reviewed: VerdictEvent | null;
  readonly before: ReadonlyMap<string, CheckStatus> | null;
  /** Null until the checks ran before the work. */
  readonly beforeFingerprint: string | null;
  /** Its checks were seen to fail beside each other, so they run one after the other. */
  readonly inTurn: boolean;
  readonly beforeResults: readonly CheckResult[];
  /** The work as at pass 1; null if it was not kept. */
  readonly origin: string | null;
  /** sha256 of the list of dependency folders' contents at pass 1; null if it was not made. */
  readonly dependencies: string | null;
  /** By scenario, as at pass 1 or the last edit of the brief. */
  readonly heldOut: Readonly<Record<string, string>>;
  /** From the accepted verify → review that led to the present review. */
  readonly matrix: MatrixFacts | null;
  /** The most tests of each check, from `before` on. */
  readonly testCounts: KnownCounts;
  readonly pinned: Readonly<Record<string, string>> | null;
  /** The newest list of what is watched; null before the first pass. */
  readonly watch: { readonly file: string; readonly sha256: string } | null;
  /** A person edited the brief since, which may extend the list. */
  readonly watchStale: boolean;
  /** By exact digest. */
  readonly watchAnswers: { readonly accepted: readonly WatchedDigest[]; readonly refused: readonly WatchedDigest[] };
  /** Until someone answers. */
  readonly watchAsked: readonly WatchedChange[];
  /** About manual scenarios, in the order of the journal. */
  readonly manualAnswers: readonly ManualAnswer[];
  /** Until someone answers. */
  readonly lookAsked: ManualAsked | null;
  /** In the order of the journal. */
  readonly approvals: readonly FrameAnswer[];
  readonly frameAsked: FrameAsked | null;
  /** The question about checks that cannot run here, until someone answers. */
  readonly environmentAsked: string | null;
  /** The last text that the runner wrote into Blockers outside of a pass. */
  readonly ownBlockers: string | null;
  readonly pinsStale: boolean;
  /** The verdicts whose checks ran, until a person edits the brief or opens the task again. */
  readonly checked: readonly VerdictEvent[];
  /** The newest checks; void after a person's edit of the brief. */
  readonly checks: CheckRun | null;
  readonly stop: RunnerStop | null;
  /** ISO 8601, UTC; null if not cancelled, or continued since. */
  readonly cancelled: string | null;
  /** Status says it; null once a pass can begin. */
  readonly held: Held | null;
  /** The origin of a move to needs_user_decision. */
  readonly askedFrom: Phase | null;
  /** The working phase before a move to blocked or needs_user_decision. */
  readonly stoppedIn: Phase | null;
  readonly knownFeatures: readonly string[];
  /** Started without a verdict. */
  readonly unfinishedPass: number | null;
}

export const emptyHistory: TaskHistory = {
  phase: null,
  state: null,
  contractSha256: null,
  lastPass: 0,
  counts: { passes: 0, repairs: 0, failure: null, timeouts_in_row: 0 },
  startedModel: null,
  startedAt: null,
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
  reviewed: null,
  before: null,
  beforeFingerprint: null,
  inTurn: false,
  beforeResults: [],
  origin: null,
  dependencies: null,
  heldOut: {},
  matrix: null,
  testCounts: {},
  pinned: null,
  watch: null,
  watchStale: false,
  watchAnswers: { accepted: [], refused: [] },
  watchAsked: [],
  manualAnswers: [],
  lookAsked: null,
  approvals: [],
  frameAsked: null,
  environmentAsked: null,
  ownBlockers: null,
  pinsStale: false,
  checked: [],
  checks: null,
  stop: null,
  cancelled: null,
  held: null,
  askedFrom: null,
  stoppedIn: null,
  knownFeatures: [],
  unfinishedPass: null,
};

import type { DegradeStep, ReviewedEvent, TaskEvent, VerdictEvent, WatchedDigest } from "./events.ts";
import type { CheckResult, CheckRun, CheckStatus, HistoryCounts, Ticket, WatchedChange } from "./facts.ts";
import { isWorkingPhase, type Phase } from "./phases.ts";
import { type RunnerStop, stopOfVerdict, stopOutsidePass } from "./runner-stop.ts";
import { addCharge, noSpend, type Spend } from "./spend.ts";
import type { Calibration, SquareFacts } from "./square.ts";
import { type KnownCounts, noteCounts } from "./test-counts.ts";
import { openChanges } from "./watched.ts";

/** What the journal says about a task. Every counter comes from here. */
export interface TaskHistory {
  /** Null where nothing was accepted yet. */
  readonly phase: Phase | null;
  /** The whole text of the last accepted STATE.md; null where there is none. */
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
  /** When each question that stands open was first seen open at the end of a pass, ISO 8601, by id. */
  readonly askedAt: Readonly<Record<string, string>>;
  /** Ids of the questions whose safe default was taken. */
  readonly defaulted: readonly string[];
  /** The newest call of the loop that worked on this task, how many passes it has started, and when the last. */
  readonly run: { readonly id: string; readonly passes: number; readonly at: string } | null;
  /** Of the pass that started last. */
  readonly estimateUsd: number | null;
  readonly lastVerdict: VerdictEvent | null;
  /** Open tickets, for the prompt. */
  readonly tickets: readonly Ticket[];
  /** That of the accepted verify → review that led to the present review. */
  readonly reviewedFingerprint: string | null;
  readonly baseline: ReadonlyMap<string, CheckStatus> | null;
  /** The fingerprint that the baseline ran on; null before it. */
  readonly baselineFingerprint: string | null;
  /** Everything that the baseline showed, for the cells that are equal to it. */
  readonly baselineResults: readonly CheckResult[];
  /** Whether the repo can be judged in a clean copy; null before the baseline. */
  readonly calibration: Calibration | null;
  /** The fingerprint of the work as at pass 1; null where it was not kept. */
  readonly origin: string | null;
  /** The sha256 of the list of what the folders of dependencies held at pass 1; null if it was not made. */
  readonly dependencies: string | null;
  /** Digests of the held-out folders, by the scenario's name, as at pass 1 or the last edit of the brief. */
  readonly heldOut: Readonly<Record<string, string>>;
  /** What the proof square showed at the accepted verify → review that led to the present review. */
  readonly square: SquareFacts | null;
  /** The most tests that each check ran, at the baseline or since. */
  readonly testCounts: KnownCounts;
  readonly pinned: Readonly<Record<string, string>> | null;
  /** The newest file that says what is watched, and its digest; null before the first pass. */
  readonly watch: { readonly file: string; readonly sha256: string } | null;
  /** A person edited the brief since, which may say that more is watched. */
  readonly watchStale: boolean;
  /** What a person said to changes of what is watched, by exactly these digests. */
  readonly watchAnswers: { readonly accepted: readonly WatchedDigest[]; readonly refused: readonly WatchedDigest[] };
  /** The changes that the runner last asked about, until somebody answers. */
  readonly watchAsked: readonly WatchedChange[];
  /** A person edited the brief after the protected paths were pinned. */
  readonly pinsStale: boolean;
  /** The newest checks that still count; a person's edit of the brief makes them void. */
  readonly checks: CheckRun | null;
  /** How the runner itself last stopped the task; null if it did not since the task was opened. */
  readonly stop: RunnerStop | null;
  /** When a person cancelled the task, ISO 8601, UTC; null if nobody did, or it was let go on since. */
  readonly cancelled: string | null;
  /** The phase that a move to needs_user_decision came from. */
  readonly askedFrom: Phase | null;
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
  pinsStale: false,
  checks: null,
  stop: null,
  cancelled: null,
  askedFrom: null,
  knownFeatures: [],
  unfinishedPass: null,
};

export function readHistory(events: readonly TaskEvent[]): TaskHistory {
  return events.reduce(addEvent, emptyHistory);
}

/** The history after one more event. */
export function addEvent(history: TaskHistory, event: TaskEvent): TaskHistory {
  switch (event.type) {
    case "adopted":
      return { ...history, phase: event.phase, state: event.state, contractSha256: event.contract_sha256 };
    case "brief_changed":
      return {
        ...history,
        state: event.state,
        contractSha256: event.contract_sha256,
        checks: null,
        square: null,
        // What was judged against an earlier brief is void, as its checks are.
        reviews: {},
        pinsStale: true,
        watchStale: true,
      };
    case "state_edited": {
      const moved = moveTo({ ...history, state: event.state }, event.to);
      const repairs = entersRepair(event.from, event.to) ? moved.counts.repairs + 1 : moved.counts.repairs;
      const withTickets = event.tickets.length > 0 ? { ...moved, tickets: event.tickets } : moved;
      const verified = event.from === "verify" && event.to === "review";
      const reviewedFingerprint = verified ? (history.checks?.fingerprint_after ?? null) : history.reviewedFingerprint;
      const next = {
        ...withTickets,
        reviewedFingerprint,
        knownFeatures: event.features,
        counts: { ...moved.counts, repairs },
      };
      return event.reopened ? reopen(next) : next;
    }
    case "resumed":
      return { ...resume(history, event), cancelled: null };
    case "cancelled":
      return { ...history, cancelled: event.at };
    case "answered":
      return answer(history, moveTo({ ...history, state: event.state }, event.to));
    case "relinked":
      return { ...history, state: event.state };
    case "edit_refused":
    case "recovered":
      return history;
    case "pinned":
      return { ...history, pinned: event.protected, pinsStale: false };
    case "watched":
      return {
        ...history,
        watch: { file: event.file, sha256: event.sha256 },
        watchStale: false,
        origin: history.origin ?? event.origin ?? null,
        dependencies: history.dependencies ?? event.dependencies ?? null,
        heldOut: event.held_out ?? history.heldOut,
      };
    case "watch_answered":
      return answerWatch(history, event);
    case "baseline":
      return {
        ...history,
        baseline: new Map(event.results.map((result) => [result.name, result.status])),
        baselineFingerprint: event.fingerprint,
        baselineResults: event.results,
        calibration: event.calibration ?? null,
        testCounts: noteCounts(history.testCounts, event.results, "baseline"),
      };
    case "pass_started":
      return {
        ...history,
        lastPass: Math.max(history.lastPass, event.pass),
        started: { ...history.started, [event.model]: countOf(history.started, event.model) + 1 },
        unfinishedPass: event.pass,
        startedModel: event.model,
        estimateUsd: event.estimate_usd ?? null,
        run: addToRun(history.run, event.run ?? null, event.at),
      };
    case "degraded":
      return { ...history, degrade: event.steps };
    case "reviewed":
      return addReview(history, event);
    case "defaulted":
      return {
        ...moveTo({ ...history, state: event.state }, event.to),
        defaulted: [...new Set([...history.defaulted, ...event.questions.map((question) => question.id)])],
      };
    case "controlled":
      return event.command === "RETRY"
        ? { ...history, cancelled: null, counts: { ...history.counts, failure: null, timeouts_in_row: 0 } }
        : history;
    case "verdict":
      return addVerdict(history, event);
    case "escalated":
      return {
        ...moveTo({ ...history, state: event.state }, event.to),
        stop: stopOutsidePass(event),
        askedAt: event.open_questions === undefined ? history.askedAt : noteAsked(history.askedAt, event),
      };
  }
}

/** A model may be named as something that every object has. */
function countOf(counts: Readonly<Record<string, number>>, name: string): number {
  return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
}

function addToRun(run: TaskHistory["run"], id: string | null, at: string): TaskHistory["run"] {
  if (id === null) return run;
  return { id, passes: (run?.id === id ? run.passes : 0) + 1, at };
}

/** A reviewer is a call of a model like any other: what it cost counts. */
function addReview(history: TaskHistory, event: ReviewedEvent): TaskHistory {
  const { model, cost_usd, estimate_usd, end, tokens, duration_ms } = event;
  const charge = { model, costUsd: cost_usd, estimateUsd: estimate_usd, end, tokens, durationMs: duration_ms };
  return {
    ...history,
    spend: addCharge(history.spend, charge),
    reviews: { ...history.reviews, [event.role]: event },
  };
}

function addVerdict(history: TaskHistory, event: VerdictEvent): TaskHistory {
  const verified = event.verdict === "accepted" && event.from === "verify" && event.to === "review";
  const moved = moveTo({ ...history, state: event.state }, event.to);
  return {
    ...moved,
    lastPass: Math.max(history.lastPass, event.pass),
    unfinishedPass: history.unfinishedPass === event.pass ? null : history.unfinishedPass,
    counts: countVerdict(history.counts, event),
    spend: addCharge(history.spend, {
      model: event.model ?? history.startedModel,
      costUsd: event.cost_usd,
      estimateUsd: history.unfinishedPass === event.pass ? history.estimateUsd : null,
      end: event.end,
      tokens: event.tokens,
      durationMs: event.duration_ms,
    }),
    askedAt: noteAsked(history.askedAt, event),
    lastVerdict: event,
    knownFeatures: [...new Set([...history.knownFeatures, ...event.features])],
    tickets: openTickets(history.tickets, event, verified),
    reviewedFingerprint: verified
      ? (event.checks?.fingerprint_after ?? null)
      : staysReviewed(event.to)
        ? history.reviewedFingerprint
        : null,
    checks: event.checks ?? history.checks,
    square: event.square ?? history.square,
    testCounts: noteCounts(history.testCounts, event.checks?.results ?? []),
    stop: stopOfVerdict(event) ?? history.stop,
    watchAsked:
      event.escalation?.cause === "watched" ? openChanges(event.watched ?? [], event.square) : history.watchAsked,
  };
}

/** The newest answer to one and the same digest holds. */
function answerWatch(history: TaskHistory, event: Extract<TaskEvent, { type: "watch_answered" }>): TaskHistory {
  const others = (list: readonly WatchedDigest[]) =>
    list.filter((old) => !event.changes.some(({ name, digest }) => old.name === name && old.digest === digest));
  const { accepted, refused } = history.watchAnswers;
  return {
    ...history,
    watchAsked: [],
    watchAnswers: {
      accepted: [...others(accepted), ...(event.accepted ? event.changes : [])],
      refused: [...others(refused), ...(event.accepted ? [] : event.changes)],
    },
    tickets: [
      ...history.tickets.filter((ticket) => event.tickets.every(({ id }) => id !== ticket.id)),
      ...event.tickets,
    ],
  };
}

/** A question that was answered and asked anew counts from then. */
function noteAsked(
  askedAt: TaskHistory["askedAt"],
  event: { readonly at: string; readonly open_questions?: readonly string[] },
): TaskHistory["askedAt"] {
  const open = event.open_questions ?? [];
  return Object.fromEntries(open.map((id) => [id, askedAt[id] ?? event.at]));
}

function countVerdict(counts: HistoryCounts, event: VerdictEvent): HistoryCounts {
  const free = event.verdict === "unavailable" || event.verdict === "interrupted";
  return {
    passes: counts.passes + (free ? 0 : 1),
    repairs: counts.repairs + (entersRepair(event.from, event.to) || gaveUpRepair(event) ? 1 : 0),
    failure: free ? counts.failure : failureStreak(counts, event),
    timeouts_in_row:
      event.end.kind === "timed_out"
        ? counts.timeouts_in_row + 1
        : event.verdict === "interrupted"
          ? counts.timeouts_in_row
          : 0,
  };
}

/** The next pass is another attempt at the same repair, and no more of them are free than there were before. */
function gaveUpRepair({ end, from, to }: VerdictEvent): boolean {
  return end.kind === "interrupted" && end.cause === "skip" && from === "repair" && to === "repair";
}

/** What was redirected comes again as a whole; a rejected pass adds to what was open before it. */
function openTickets(open: readonly Ticket[], event: VerdictEvent, verified: boolean): readonly Ticket[] {
  if (verified) return [];
  if (event.verdict === "rejected") {
    return [...open, ...event.tickets.filter((ticket) => open.every((known) => known.id !== ticket.id))];
  }
  return event.tickets.length > 0 ? event.tickets : open;
}

/** A question asked in review leads back to review once it is answered, and nothing was verified anew by then. */
function staysReviewed(to: Phase): boolean {
  return to === "review" || to === "needs_user_decision";
}

/**
 * What is accepted on the way from a redirect back to where it came from does not break a row of redirects: whether
 * the repair helped shows where it was judged, and for a review that is two accepted passes later.
 */
function failureStreak(counts: HistoryCounts, event: VerdictEvent): HistoryCounts["failure"] {
  if (event.failure !== null) return event.failure;
  const inCycle = ["repair", "verify", "review"].includes(event.from) && event.to !== "done";
  return inCycle && counts.failure?.signature.startsWith("redirected ") ? counts.failure : null;
}

function moveTo(history: TaskHistory, to: Phase): TaskHistory {
  const asked =
    to === "needs_user_decision" && history.phase !== "needs_user_decision" ? history.phase : history.askedFrom;
  return { ...history, phase: to, askedFrom: asked };
}

function entersRepair(from: Phase, to: Phase): boolean {
  return to === "repair" && from !== "repair";
}

/**
 * An answer to a pass's own question changes no counter, else asking would buy new repairs. An answer to the runner's
 * question is a person's leave to try again. What was verified stays so: review goes on where it asked.
 */
function answer(before: TaskHistory, after: TaskHistory): TaskHistory {
  if (before.stop === null) return after;
  return { ...reopen(after), reviewedFingerprint: after.reviewedFingerprint, square: after.square };
}

/** Where it only lifts a cancellation, what the working task has shown still counts. */
function resume(history: TaskHistory, event: Extract<TaskEvent, { type: "resumed" }>): TaskHistory {
  const moved = moveTo({ ...history, state: event.state }, event.to);
  return liftsCancel(history, event.from, event.to) ? moved : reopen(moved);
}

/** True if `resume` from here to there lets a cancelled task go on where it was. */
export function liftsCancel({ cancelled, stop }: Pick<TaskHistory, "cancelled" | "stop">, from: Phase, to: Phase) {
  return cancelled !== null && stop === null && from === to && isWorkingPhase(from);
}

/** Reopening clears the repair and retry counters and the runner's own Blockers; spent passes and money stay. */
function reopen(history: TaskHistory): TaskHistory {
  return {
    ...history,
    counts: { ...history.counts, repairs: 0, failure: null, timeouts_in_row: 0 },
    reviewedFingerprint: null,
    checks: null,
    square: null,
    stop: null,
  };
}

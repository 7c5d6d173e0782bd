import { addVerdict, mergeAskedAt } from "./add-verdict.ts";
import type { Ticket } from "./decision.ts";
import type { PassRunner, ReviewedEvent, TaskEvent } from "./events.ts";
import { emptyHistory, type TaskHistory } from "./history.ts";
import type { ManualScenario } from "./manual.ts";
import { answer, entersRepair, moveTo, reopen, resume } from "./move-task.ts";
import { stopOutsidePass } from "./runner-stop.ts";
import { addCharge } from "./spend.ts";
import { mergeCounts } from "./test-counts.ts";
import type { WatchedDigest } from "./watched.ts";

// A pass asks for the history of the same events several times.
const historiesRead = new WeakMap<readonly TaskEvent[], TaskHistory>();

export function readHistory(events: readonly TaskEvent[]): TaskHistory {
  const history = historiesRead.get(events) ?? events.reduce(addEvent, emptyHistory);
  historiesRead.set(events, history);
  return history;
}

export function addEvent(history: TaskHistory, event: TaskEvent): TaskHistory {
  switch (event.type) {
    case "adopted":
      return { ...history, phase: event.phase, state: event.state, contractSha256: event.contract_sha256 };
    case "brief_changed":
      return {
        ...history,
        state: event.state,
        contractSha256: event.contract_sha256,
        checked: [],
        checks: null,
        matrix: null,
        reviewed: null,
        inTurn: false,
        // Like the checks, judgements of an earlier brief are void.
        reviews: {},
        pinsStale: true,
        watchStale: true,
      };
    case "state_edited": {
      const moved = moveTo({ ...history, state: event.state }, event.to);
      const repairs = entersRepair(event.from, event.to) ? moved.counts.repairs + 1 : moved.counts.repairs;
      const ticketed = event.tickets.length > 0 ? { ...moved, tickets: event.tickets } : moved;
      const verified = event.from === "verify" && event.to === "review";
      const reviewedFingerprint = verified ? (history.checks?.fingerprint_after ?? null) : history.reviewedFingerprint;
      const next = {
        ...ticketed,
        reviewedFingerprint,
        knownFeatures: event.features,
        counts: { ...moved.counts, repairs },
      };
      return event.reopened ? reopen(next) : next;
    }
    case "resumed":
      return { ...resume(history, event), cancelled: null, held: null };
    case "not_merged": {
      const moved = reopen(moveTo({ ...history, state: event.state }, event.to));
      return { ...moved, ...newBase, tickets: withTickets([], event.tickets), cancelled: null, held: null };
    }
    case "cancelled":
      return { ...history, cancelled: event.at, state: event.state ?? history.state };
    case "answered":
      return answer(history, moveTo({ ...history, state: event.state }, event.to));
    case "relinked":
      return { ...history, state: event.state };
    case "held":
      return { ...history, held: event.held, state: event.state ?? history.state };
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
        origin: history.origin ?? event.origin,
        dependencies: history.dependencies ?? event.dependencies,
        heldOut: event.held_out,
      };
    case "watch_answered":
      return answerWatch(history, event);
    case "looked":
      return {
        ...history,
        lookAsked: null,
        manualAnswers: [...history.manualAnswers, ...event.scenarios.map((scenario) => answerOf(event, scenario))],
        tickets: withTickets(history.tickets, event.tickets),
      };
    case "approved": {
      const { frame, approved, said, question } = event;
      return { ...history, frameAsked: null, approvals: [...history.approvals, { frame, approved, said, question }] };
    }
    case "before":
      return {
        ...history,
        before: new Map(event.results.map((result) => [result.name, result.status])),
        beforeFingerprint: event.fingerprint,
        beforeResults: event.results,
        inTurn: event.beside === true,
        testCounts: mergeCounts(history.testCounts, event.results, "before"),
      };
    case "environment_answered": {
      const again = { before: null, beforeFingerprint: null, beforeResults: [] };
      return { ...history, environmentAsked: null, ...(event.part_of_task ? {} : again) };
    }
    case "claimed": {
      const { pass, model, estimate_usd: estimate, reviewers, runner } = event;
      const reviewsUsd = estimate === null ? null : estimate * reviewers;
      const claimed = { pass, model, reviewers, reviewsUsd, attempt: runner.attempt };
      return { ...chargeLostClaim(history, event), claimed };
    }
    case "released":
      return { ...history, claimed: null };
    case "pass_started":
      return {
        ...chargeLostClaim(history, event),
        lastPass: Math.max(history.lastPass, event.pass),
        started:
          event.model === null
            ? history.started
            : { ...history.started, [event.model]: countOf(history.started, event.model) + 1 },
        unfinishedPass: event.pass,
        startedModel: event.model,
        startedAt: event.at,
        estimateUsd: event.estimate_usd,
        run: addToRun(history.run, event.run, event),
      };
    case "degraded":
      return { ...history, degrade: event.steps };
    case "reviewed":
      return addReview(history, event);
    case "defaulted":
      return {
        ...moveTo({ ...history, state: event.state }, event.to),
        environmentAsked: event.questions.some(({ id }) => id === history.environmentAsked)
          ? null
          : history.environmentAsked,
        defaulted: [...new Set([...history.defaulted, ...event.questions.map((question) => question.id)])],
      };
    case "controlled":
      return event.command === "RETRY"
        ? { ...history, cancelled: null, counts: { ...history.counts, failure: null, timeouts_in_row: 0 } }
        : history;
    case "undelivered": {
      return { ...history, state: event.state, lastVerdict: asUndelivered(history, event.why) };
    }
    case "advanced":
      return moveTo({ ...history, state: event.state }, event.to);
    case "verdict":
      return addVerdict(history, event);
    case "escalated":
      return {
        ...moveTo({ ...history, state: event.state }, event.to),
        held: null,
        // A question with a safe default is no stop.
        ...(event.cause === "environment"
          ? { environmentAsked: event.open_questions.at(-1) ?? null }
          : { stop: stopOutsidePass(event) }),
        ownBlockers: event.blockers,
        askedAt: mergeAskedAt(history.askedAt, event),
      };
  }
}

/** The last verdict, once git turned out not to hold what it was said of. */
export function asUndelivered({ lastVerdict: last }: TaskHistory, undelivered: string): TaskHistory["lastVerdict"] {
  return last?.proof == null ? last : { ...last, proof: { ...last.proof, undelivered } };
}

/** The tree now includes the work of others, so what was recorded about the earlier base no longer applies. */
const newBase = {
  watch: null,
  watchStale: true,
  pinsStale: true,
  origin: null,
  dependencies: null,
  before: null,
  beforeFingerprint: null,
  beforeResults: [],
  watchAsked: [],
} as const satisfies Partial<TaskHistory>;

/** The reviewers of a lost claim may have worked unreported. */
function chargeLostClaim(history: TaskHistory, { runner }: { readonly runner?: PassRunner }): TaskHistory {
  const { claimed, spend } = history;
  if (claimed === null) return history;
  const isLost = claimed.attempt !== runner?.attempt && claimed.reviewers > 0;
  const tokens = { input: null, output: null };
  const end = { kind: "interrupted", reason: "", cause: "cut_off" } as const;
  const charge = { model: null, costUsd: null, estimateUsd: claimed.reviewsUsd, end, tokens, durationMs: 0 };
  return { ...history, claimed: null, spend: isLost ? addCharge(spend, charge) : spend };
}

/** A model's name may be a key that every object has. */
function countOf(counts: Readonly<Record<string, number>>, name: string): number {
  return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
}

function addToRun(
  run: TaskHistory["run"],
  id: string | null,
  { at, model }: { readonly at: string; readonly model: string | null },
): TaskHistory["run"] {
  if (id === null) return run;
  return { id, passes: (run?.id === id ? run.passes : 0) + (model === null ? 0 : 1), at };
}

function addReview(history: TaskHistory, event: ReviewedEvent): TaskHistory {
  const { model, cost_usd, estimate_usd, end, tokens, duration_ms } = event;
  const charge = { model, costUsd: cost_usd, estimateUsd: estimate_usd, end, tokens, durationMs: duration_ms };
  return { ...history, spend: addCharge(history.spend, charge), reviews: { ...history.reviews, [event.role]: event } };
}

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
    tickets: withTickets(history.tickets, event.tickets),
  };
}

function withTickets(open: readonly Ticket[], added: readonly Ticket[]): readonly Ticket[] {
  return [...open.filter((ticket) => added.every(({ id }) => id !== ticket.id)), ...added];
}

function answerOf(
  { question, fingerprint, holds, said }: Extract<TaskEvent, { type: "looked" }>,
  scenario: ManualScenario,
) {
  return { ...scenario, fingerprint, holds, said, question };
}

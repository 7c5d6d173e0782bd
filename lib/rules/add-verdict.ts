import type { Ticket } from "./decision.ts";
import type { HistoryCounts } from "./facts.ts";
import { isRedirected } from "./failure.ts";
import type { TaskHistory } from "./history.ts";
import { openManual } from "./manual.ts";
import { noAnswer } from "./model-end.ts";
import { entersRepair, moveTo } from "./move-task.ts";
import { isWorkingPhase, type Phase } from "./phases.ts";
import { stopOfVerdict } from "./runner-stop.ts";
import { addCharge } from "./spend.ts";
import { failBeside } from "./steadiness.ts";
import { mergeCounts } from "./test-counts.ts";
import type { VerdictEvent } from "./verdict-event.ts";
import { openChanges } from "./watched.ts";

export function addVerdict(history: TaskHistory, event: VerdictEvent): TaskHistory {
  // In review without a model: the checks ran on code that a person moved.
  const isJudged = event.from === "verify" || event.end.kind === "no_model";
  const verified = event.verdict === "accepted" && isJudged && event.to === "review";
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
    askedAt: mergeAskedAt(history.askedAt, event),
    lastVerdict: event,
    knownFeatures: [...new Set([...history.knownFeatures, ...event.features])],
    tickets: openTickets(history.tickets, event, verified),
    reviewedFingerprint: verified
      ? (event.checks?.fingerprint_after ?? null)
      : staysReviewed(event.to)
        ? history.reviewedFingerprint
        : null,
    reviewed: verified ? event : staysReviewed(event.to) ? history.reviewed : null,
    inTurn: history.inTurn || failBeside(event.matrix),
    checked: event.checks === null || event.checks.taken !== undefined ? history.checked : [...history.checked, event],
    checks: event.checks ?? history.checks,
    matrix: event.matrix ?? history.matrix,
    testCounts: mergeCounts(history.testCounts, event.checks?.results ?? []),
    stop: stopOfVerdict(event) ?? history.stop,
    held: asksOn(event) ? { standing: "asks", brief: "", why: "" } : null,
    watchAsked:
      event.escalation?.cause === "watched" ? openChanges(event.watched ?? [], event.matrix) : history.watchAsked,
    frameAsked:
      event.frame === null ? history.frameAsked : { frame: event.frame, question: event.open_questions.at(-1) ?? "" },
    lookAsked: event.escalation?.cause === "manual" ? askedFor(event) : history.lookAsked,
  };
}

/** Status names the question of a task that goes on in its phase once that is answered. */
function asksOn({
  verdict,
  to,
  open_questions: asked,
}: Pick<VerdictEvent, "verdict" | "to" | "open_questions">): boolean {
  return (verdict === "accepted" || verdict === "redirected") && isWorkingPhase(to) && asked.length > 0;
}

function askedFor({ open_questions, fingerprint, checks, manual }: VerdictEvent): TaskHistory["lookAsked"] {
  return {
    question: open_questions.at(-1) ?? "",
    fingerprint: fingerprint.present ?? checks?.fingerprint_after ?? fingerprint.after,
    scenarios: openManual(manual).map(({ name, look }) => ({ name, look })),
  };
}

/** A question that was answered and asked again counts from then. */
export function mergeAskedAt(
  askedAt: TaskHistory["askedAt"],
  event: { readonly at: string; readonly open_questions: readonly string[] },
): TaskHistory["askedAt"] {
  return Object.fromEntries(event.open_questions.map((id) => [id, askedAt[id] ?? event.at]));
}

function countVerdict(counts: HistoryCounts, event: VerdictEvent): HistoryCounts {
  // A pass is what a model was paid for.
  const free = isCutShort(event) || event.end.kind === "no_model";
  return {
    passes: counts.passes + (free ? 0 : 1),
    repairs: counts.repairs + (countsAsRepair(event) ? 1 : 0),
    failure: isCutShort(event) ? counts.failure : failureStreak(counts, event),
    timeouts_in_row: timeoutsInRow(counts.timeouts_in_row, event),
  };
}

/** Damage from a person's git move is not a repair by the pass. */
function countsAsRepair(event: VerdictEvent): boolean {
  const isPersons = event.from === "review" && event.end.kind === "no_model" && event.proposed === "review";
  return (entersRepair(event.from, event.to) && !isPersons) || gaveUpRepair(event);
}

function isCutShort({ verdict }: VerdictEvent): boolean {
  return verdict === "unavailable" || verdict === "interrupted";
}

/** A timeout without any answer neither counts nor breaks a row. */
function timeoutsInRow(before: number, { end, verdict, reasons }: VerdictEvent): number {
  if (verdict === "interrupted" || end.kind === "no_model" || reasons[0]?.code === noAnswer) return before;
  return end.kind === "timed_out" ? before + 1 : 0;
}

/** The next pass is another attempt at this repair and keeps its tickets. */
function gaveUpRepair({ end, from, to }: VerdictEvent): boolean {
  return end.kind === "interrupted" && end.cause === "skip" && from === "repair" && to === "repair";
}

/** A redirect lists all tickets; a rejected pass adds to the open ones. */
function openTickets(open: readonly Ticket[], event: VerdictEvent, verified: boolean): readonly Ticket[] {
  if (verified) return [];
  if (event.verdict === "rejected") {
    return [...open, ...event.tickets.filter((ticket) => open.every((known) => known.id !== ticket.id))];
  }
  return event.tickets.length > 0 ? event.tickets : open;
}

/** A question asked in review leads back to review if nothing was verified again. */
function staysReviewed(to: Phase): boolean {
  return to === "review" || to === "needs_user_decision";
}

/** Accepted passes between two redirects do not break a row: a repair is judged up to two passes later. */
function failureStreak(counts: HistoryCounts, event: VerdictEvent): HistoryCounts["failure"] {
  if (event.failure !== null) return event.failure;
  const inCycle = ["repair", "verify", "review"].includes(event.from) && event.to !== "done";
  return inCycle && counts.failure !== null && isRedirected(counts.failure) ? counts.failure : null;
}

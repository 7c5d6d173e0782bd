import { isSignalExit } from "../rules/exits.ts";
import type { Engine, Lease, Refused } from "./engine/engine.ts";
import type { LeasedEnd } from "./pass-channel.ts";

/**
 * Renews a lease until it is stopped, three times in its time. `lost` is called once, with the reason, when the engine
 * says that the lease is gone, or when no renewal was granted for all of its time but the margin: counted from the moment
 * when the last one that was granted was sent, by this machine's own clock.
 */
export function watchLease(
  engine: Pick<Engine, "renew">,
  lease: Lease,
  marginMs: number,
  lost: (why: string) => void,
): { stop(): void } {
  const { heartbeatMs } = lease;
  const goodMs = heartbeatMs - Math.min(marginMs, heartbeatMs / 2);
  let isWatched = true;
  const end = (why: string): void => {
    if (!isWatched) return;
    stop();
    lost(why);
  };
  const startDeadline = (sent: number) =>
    setTimeout(() => end("the engine did not renew the lease in time"), Math.max(0, sent + goodMs - performance.now()));
  let deadline = startDeadline(lease.leasedAt);
  const renew = async (): Promise<void> => {
    const sent = performance.now();
    // What fails is asked again, as long as there is time.
    const isOurs = await engine.renew(lease).catch(() => null);
    if (!isWatched || isOurs === null) return;
    if (!isOurs) return end("the engine gave the job to another worker, or no longer has it");
    clearTimeout(deadline);
    deadline = startDeadline(sent);
  };
  const timer = setInterval(() => void renew(), heartbeatMs / 3);
  const stop = (): void => {
    isWatched = false;
    clearInterval(timer);
    clearTimeout(deadline);
  };
  return { stop };
}

/** What becomes of a job whose pass has ended. */
export type LeaseEnd =
  | { readonly kind: "done" }
  /** Back into the queue, not before `again`; null: at once. */
  | { readonly kind: "back"; readonly why: string; readonly again: Date | null };

export interface PassOutcome {
  /** Null: the process ended without a word. */
  readonly end: LeasedEnd | null;
  /** What the engine refused last; null: nothing. */
  readonly refused: Refused | null;
  readonly stopping: boolean;
  /** As that of the lease. */
  readonly delivery: number;
  readonly now: Date;
}

const firstPauseMs = 15_000;
const longestPauseMs = 15 * 60_000;
/** A slot may be free soon, and no event reports it. */
const refusedPauseMs = 10_000;
/** A person has to repair something first. */
const personPauseMs = 10 * 60_000;
const unreachable = new Set(["TP_REMOTE_UNREACHABLE", "TP_PUSH_UNREACHABLE", "TP_ENGINE_UNREACHABLE"]);

/**
 * A pass that was judged, or that another one was faster with, needs this job no more: whether the task has a next pass
 * is judged anew from its branch. What could not be done goes back, for later.
 */
export function endLease({ end, refused, stopping, delivery, now }: PassOutcome): LeaseEnd {
  const later = (ms: number) => new Date(now.getTime() + ms);
  const pause = () => later(Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(20, delivery - 1)));
  const back = (why: string, again: Date | null): LeaseEnd => ({ kind: "back", why, again });
  if (stopping && (end === null || isCutOff(end))) return back("its worker was stopped", null);
  if (end === null) return back("the process of the pass ended without a report", delivery === 1 ? null : pause());
  if (end.verdict !== null) return { kind: "done" };
  if (refused !== null) return back(refused.reason, refused.again ?? later(refusedPauseMs));
  const codes = end.findings.map(({ code }) => code);
  if (codes.includes("TP_UNTRUSTED")) return back(end.reason, null);
  if (codes.some((code) => unreachable.has(code))) return back(end.reason, pause());
  switch (end.exitName) {
    case "config":
    case "data":
      return back(end.reason, later(personPauseMs));
    case "unavailable":
    case "budget":
    case "failure":
      return back(end.reason, end.nextEligibleAt === null ? pause() : new Date(end.nextEligibleAt));
    default:
      return { kind: "done" };
  }
}

/** A pass that was stopped has the verdict that it was interrupted, and comes again. */
function isCutOff({ exitName, verdict }: LeasedEnd): boolean {
  return verdict === "interrupted" || isSignalExit(exitName);
}

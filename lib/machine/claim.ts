import type { PassRunner, TaskEvent } from "./events.ts";
import type { Phase } from "./phases.ts";

/** A pass without a verdict, as another machine sees it. */
export interface OpenClaim {
  readonly pass: number;
  readonly phase: Phase;
  readonly model: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Until then no other runner begins a pass; ISO 8601, UTC. */
  readonly until: string;
  readonly runner: PassRunner | null;
}

/** Added to the model's time, for the verdict and for differing clocks. */
export const claimMarginMs = 60_000;

/** The open pass at the end of a journal. */
export function findClaim(events: readonly TaskEvent[]): OpenClaim | null {
  const last = events.findLastIndex(({ type }) => type === "pass_started" || type === "claimed");
  const started = events[last];
  if (started?.type !== "pass_started" && started?.type !== "claimed") return null;
  const isOver = (event: TaskEvent) =>
    (event.type === "verdict" || event.type === "released") && event.pass === started.pass;
  if (events.slice(last).some(isOver)) return null;
  const { pass, phase, model, at, timeout_ms, runner } = started;
  const until = Date.parse(at) + timeout_ms + claimMarginMs;
  // An impossible date never protects a claim.
  const end = Math.abs(until) <= 8.64e15 ? until : Date.parse(at);
  return { pass, phase, model, at, until: new Date(end).toISOString(), runner: runner ?? null };
}

/** A pass without a runner is no claim: its machine pushes it when it is over. */
export function isHeld({ until, runner }: Pick<OpenClaim, "until" | "runner">, now: Date): boolean {
  return runner !== null && now.getTime() < Date.parse(until);
}

export const unnamedWorker = "unnamed";

/** Worker and host, as far as they are named. */
export function nameRunner({ worker, host }: Pick<PassRunner, "worker" | "host">): string {
  if (worker === unnamedWorker) return host ?? "an unnamed runner";
  return host === null || host === worker ? worker : `${worker} on ${host}`;
}

/**
 * Newest passes in a row that were claimed without ever a verdict, since their runner was killed. A person's word about
 * the task resets the count.
 */
export function countCutOff(events: readonly TaskEvent[]): number {
  let count = 0;
  let claimed: string | null = null;
  for (const event of events) {
    switch (event.type) {
      case "claimed":
      case "pass_started":
        if (claimed !== null && claimed !== event.runner?.attempt) count += 1;
        claimed = event.type === "claimed" ? event.runner.attempt : null;
        break;
      case "verdict":
        count = event.end.kind === "interrupted" && event.end.cause === "cut_off" ? count + 1 : 0;
        break;
      case "released":
        claimed = null;
        break;
      case "brief_changed":
      case "state_edited":
      case "resumed":
      case "answered":
      case "controlled":
        count = 0;
        break;
      default:
    }
  }
  return claimed === null ? count : count + 1;
}

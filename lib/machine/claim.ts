import type { PassRunner, TaskEvent } from "./events.ts";
import type { Phase } from "./phases.ts";

/** A pass that began, or was claimed, and has no verdict yet, as another machine reads it. */
export interface OpenClaim {
  readonly pass: number;
  readonly phase: Phase;
  readonly model: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Until then nobody else begins a pass of the task, ISO 8601, UTC. */
  readonly until: string;
  /** Null if the event does not say it. */
  readonly runner: PassRunner | null;
}

/** A claim holds longer than its model may work by this much: for the verdict, and for clocks that differ. */
export const claimMarginMs = 60_000;

/** The pass that is open at the end of a journal; null if none is. */
export function findClaim(events: readonly TaskEvent[]): OpenClaim | null {
  const last = events.findLastIndex(({ type }) => type === "pass_started" || type === "claimed");
  const started = events[last];
  if (started?.type !== "pass_started" && started?.type !== "claimed") return null;
  const isOver = (event: TaskEvent) =>
    (event.type === "verdict" || event.type === "released") && event.pass === started.pass;
  if (events.slice(last).some(isOver)) return null;
  const { pass, phase, model, at, timeout_ms, runner } = started;
  const until = Date.parse(at) + timeout_ms + claimMarginMs;
  // A time that no date can hold is nobody's claim for ever: it was never held.
  const end = Math.abs(until) <= 8.64e15 ? until : Date.parse(at);
  return { pass, phase, model, at, until: new Date(end).toISOString(), runner: runner ?? null };
}

/**
 * True until the claim has run out. A pass without a runner is nobody's claim: it was begun by a run that claims nothing,
 * whose machine pushed it when it was over.
 */
export function isHeld({ until, runner }: Pick<OpenClaim, "until" | "runner">, now: Date): boolean {
  return runner !== null && now.getTime() < Date.parse(until);
}

/** The worker of a runner for which the person set no name. */
export const unnamedWorker = "unnamed";

/** The runner for people: the worker and its host, as far as a person named them. */
export function nameRunner({ worker, host }: Pick<PassRunner, "worker" | "host">): string {
  if (worker === unnamedWorker) return host ?? "an unnamed runner";
  return host === null || host === worker ? worker : `${worker} on ${host}`;
}

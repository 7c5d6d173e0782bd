import { addEvent } from "./add-event.ts";
import { addUsage, noUsage, type Usage } from "./budgets.ts";
import type { PassRunner, TaskEvent } from "./events.ts";
import { emptyHistory } from "./history.ts";
import type { Phase } from "./phases.ts";
import { usedBetween } from "./usage.ts";

export interface OpenClaim {
  readonly pass: number;
  readonly phase: Phase;
  /** Null: none is called. */
  readonly model: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Until then no other runner begins a pass; ISO 8601, UTC. */
  readonly until: string;
  readonly runner: PassRunner | null;
}

/** Added to the model's time, for the verdict and for differing clocks. */
export const claimMarginMs = 60_000;

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

export function nameRunner({ worker, host }: Pick<PassRunner, "worker" | "host">): string {
  if (worker === unnamedWorker) return host ?? "an unnamed runner";
  return host === null || host === worker ? worker : `${worker} on ${host}`;
}

/** Newest passes in a row whose runner was killed before a verdict. A person's word resets the count. */
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
      case "not_merged":
      case "answered":
      case "controlled":
        count = 0;
        break;
      default:
    }
  }
  return claimed === null ? count : count + 1;
}

export interface Attempt {
  readonly attempt: string;
  readonly pass: number;
  /** Its charges, reviewers included; null without a verdict. */
  readonly used: Usage | null;
}

/** Oldest first. Without unclaimed passes, their charges add up to those of `readUsage`. */
export function readAttempts(events: readonly TaskEvent[]): Attempt[] {
  const found = new Map<string, { readonly pass: number; readonly charged: Usage; readonly isOver: boolean }>();
  const holders = new Map<number, string>();
  // Journals of before there was `claimed` have the reviewers ahead of the pass that they are charged to.
  const ahead = new Map<number, Usage>();
  const charge = (attempt: string | undefined, used: Usage, isOver: boolean): void => {
    const known = attempt === undefined ? undefined : found.get(attempt);
    if (attempt === undefined || known === undefined) return;
    found.set(attempt, { ...known, charged: addUsage(known.charged, used), isOver: known.isOver || isOver });
  };
  let history = emptyHistory;
  for (const event of events) {
    const before = history;
    history = addEvent(before, event);
    const used = usedBetween(before, history);
    // Taking over a claim includes its charges.
    const lost = before.claimed !== null && history.claimed?.attempt !== before.claimed.attempt ? before.claimed : null;
    switch (event.type) {
      case "claimed":
      case "pass_started": {
        const attempt = event.runner?.attempt;
        if (lost !== null && lost.attempt !== attempt) charge(lost.attempt, used, true);
        if (attempt === undefined) {
          holders.delete(event.pass);
          break;
        }
        holders.set(event.pass, attempt);
        if (!found.has(attempt)) {
          found.set(attempt, { pass: event.pass, charged: ahead.get(event.pass) ?? noUsage, isOver: false });
          ahead.delete(event.pass);
        }
        break;
      }
      case "released":
        charge(before.claimed?.attempt, used, true);
        break;
      case "reviewed":
      case "verdict":
        if (!holders.has(event.pass)) ahead.set(event.pass, addUsage(ahead.get(event.pass) ?? noUsage, used));
        charge(holders.get(event.pass), used, event.type === "verdict");
        break;
      default:
    }
  }
  return [...found].map(([attempt, { pass, charged, isOver }]) => ({ attempt, pass, used: isOver ? charged : null }));
}

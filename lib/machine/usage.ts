import { addEvent } from "./add-event.ts";
import { addUsage, noUsage, type Usage } from "./budgets.ts";
import type { TaskEvent } from "./events.ts";
import { emptyHistory, type TaskHistory } from "./history.ts";
import { estimateTokens } from "./spend.ts";

/** What one task has used, for the budgets that bound more than one task. */
export interface TaskUsage {
  /** By UTC day, as 2026-11-21: that of the event which brought the charge. */
  readonly days: ReadonlyMap<string, Usage>;
  /** By the id of the loop's run. */
  readonly runs: ReadonlyMap<string, Usage>;
  /** The pass that has begun and has no verdict; null if there is none. */
  readonly underWay: {
    readonly run: string | null;
    /** When it began, ISO 8601. */
    readonly at: string;
    readonly timeoutMs: number | null;
    /** What it is taken to use. */
    readonly estimateUsd: number | null;
    readonly tokens: number;
  } | null;
}

export const noTaskUsage: TaskUsage = { days: new Map(), runs: new Map(), underWay: null };

/** Every event is charged with what it added to the spend of its task, so that the sums of all budgets agree. */
export function readUsage(events: readonly TaskEvent[]): TaskUsage {
  const charges: { readonly event: TaskEvent; readonly used: Usage }[] = [];
  const starts = new Map<number, Extract<TaskEvent, { type: "pass_started" }>>();
  let history = emptyHistory;
  for (const event of events) {
    const before = history;
    history = addEvent(before, event);
    charges.push({ event, used: usedBetween(before, history) });
    if (event.type === "pass_started") starts.set(event.pass, event);
  }
  const runOf = ({ event }: (typeof charges)[number]) =>
    event.type === "verdict" || event.type === "reviewed" ? (starts.get(event.pass)?.run ?? null) : null;
  const start = history.unfinishedPass === null ? undefined : starts.get(history.unfinishedPass);
  return {
    days: sumBy(charges, ({ event }) => dayOf(event.at)),
    runs: sumBy(charges, runOf),
    underWay:
      start === undefined
        ? null
        : {
            run: start.run,
            at: start.at,
            timeoutMs: start.timeout_ms,
            estimateUsd: start.estimate_usd,
            tokens: estimateTokens(history.spend, start.model),
          },
  };
}

/** The UTC day of a time as the journal writes it. */
export function dayOf(at: string): string {
  return at.slice(0, 10);
}

/** What the task has used in all. */
export function usageOf({ counts, spend }: Pick<TaskHistory, "counts" | "spend">): Usage {
  return { passes: counts.passes, moneyUsd: spend.chargedUsd, tokens: spend.tokens, timeMs: spend.timeMs };
}

/**
 * How long a pass without a verdict is taken to have worked: until now, and no longer than it was allowed to. 0 if
 * the clock was set back behind its start.
 */
export function elapsedOf(startedAt: string, now: Date, timeoutMs: number | null): number {
  const elapsed = now.getTime() - Date.parse(startedAt);
  return elapsed > 0 ? Math.min(elapsed, timeoutMs ?? elapsed) : 0;
}

/** What one event, or several, added to the spend of a task. */
export function usedBetween(before: TaskHistory, after: TaskHistory): Usage {
  const [was, is] = [usageOf(before), usageOf(after)];
  return {
    passes: is.passes - was.passes,
    moneyUsd: is.moneyUsd - was.moneyUsd,
    tokens: is.tokens - was.tokens,
    timeMs: is.timeMs - was.timeMs,
  };
}

function sumBy<Charge extends { readonly used: Usage }>(
  charges: readonly Charge[],
  keyOf: (charge: Charge) => string | null,
): Map<string, Usage> {
  const sums = new Map<string, Usage>();
  for (const charge of charges) {
    const key = keyOf(charge);
    if (key === null || Object.values(charge.used).every((amount) => amount === 0)) continue;
    sums.set(key, addUsage(sums.get(key) ?? noUsage, charge.used));
  }
  return sums;
}

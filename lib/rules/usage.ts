import { addEvent } from "./add-event.ts";
import { addUsage, noUsage, type Usage } from "./budgets.ts";
import type { TaskEvent } from "./events.ts";
import { emptyHistory, type TaskHistory } from "./history.ts";
import { addCharge, estimateTokens, noSpend, type Spend } from "./spend.ts";
import type { VerdictEvent } from "./verdict-event.ts";

/** A task's use, for budgets over several tasks. */
export interface TaskUsage {
  /** By UTC day of the charging event, such as 2026-11-21. */
  readonly days: ReadonlyMap<string, Usage>;
  /** By the id of the loop's run. */
  readonly runs: ReadonlyMap<string, Usage>;
  /** Begun, or claimed ahead, without a verdict. */
  readonly underWay: {
    readonly run: string | null;
    readonly at: string;
    /** Claimed ahead: nothing of it has begun. */
    readonly isClaim: boolean;
    /** None if the runner moves the task on without a model. */
    readonly passes: number;
    readonly timeoutMs: number | null;
    readonly estimateUsd: number | null;
    readonly tokens: number;
  } | null;
}

export const noTaskUsage: TaskUsage = { days: new Map(), runs: new Map(), underWay: null };

/** Charges each event with what it added to its task's spend, so that all budgets agree. */
export function readUsage(events: readonly TaskEvent[]): TaskUsage {
  const charges: { readonly event: TaskEvent; readonly used: Usage }[] = [];
  const starts = new Map<number, Extract<TaskEvent, { type: "claimed" | "pass_started" }>>();
  let history = emptyHistory;
  for (const event of events) {
    const before = history;
    history = addEvent(before, event);
    charges.push({ event, used: usedBetween(before, history) });
    if (event.type === "claimed" || event.type === "pass_started") starts.set(event.pass, event);
  }
  // The pass of a reviewer may never begin, or begin in a later run.
  const runOf = ({ event }: (typeof charges)[number]) =>
    (event.type === "reviewed" ? event : event.type === "verdict" ? starts.get(event.pass) : undefined)?.run ?? null;
  const open = history.unfinishedPass ?? history.claimed?.pass ?? null;
  const start = open === null ? undefined : starts.get(open);
  const calls = start?.type === "claimed" ? 1 + start.reviewers : 1;
  return {
    days: sumBy(charges, ({ event }) => dayOf(event.at)),
    runs: sumBy(charges, runOf),
    underWay:
      start === undefined
        ? null
        : {
            run: start.run ?? null,
            at: start.at,
            isClaim: start.type === "claimed",
            passes: start.model === null ? 0 : 1,
            timeoutMs: start.timeout_ms,
            estimateUsd: start.estimate_usd === null ? null : start.estimate_usd * calls,
            tokens: start.model === null ? 0 : estimateTokens(history.spend, start.model) * calls,
          },
  };
}

export function dayOf(at: string): string {
  return at.slice(0, 10);
}

export function usageOf({ counts, spend }: Pick<TaskHistory, "counts" | "spend">): Usage {
  return { passes: counts.passes, moneyUsd: spend.chargedUsd, tokens: spend.tokens, timeMs: spend.timeMs };
}

/** A pass without a verdict: until now, at most its timeout; 0 if the clock was set back behind its start. */
export function elapsedOf(startedAt: string, now: Date, timeoutMs: number | null): number {
  const elapsed = now.getTime() - Date.parse(startedAt);
  return elapsed > 0 ? Math.min(elapsed, timeoutMs ?? elapsed) : 0;
}

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

export interface RunUsage {
  readonly verdicts: readonly VerdictEvent[];
  readonly spend: Spend;
}

/** `run` is the call's id. */
export function usageOfRun(events: readonly TaskEvent[], run: string): RunUsage {
  const started = new Set(
    events.flatMap((event) => (event.type === "pass_started" && event.run === run ? event.pass : [])),
  );
  const verdicts = events.filter((event) => event.type === "verdict").filter(({ pass }) => started.has(pass));
  const reviews = events.filter((event) => event.type === "reviewed").filter((event) => event.run === run);
  const spend = [...verdicts, ...reviews].reduce(
    (sum, { model, cost_usd, end, tokens, duration_ms }) =>
      addCharge(sum, { model, costUsd: cost_usd, estimateUsd: null, end, tokens, durationMs: duration_ms }),
    noSpend,
  );
  return { verdicts, spend };
}

type SpendTotal = Pick<Spend, "knownUsd" | "unknownPasses" | "timeMs">;

/** Unknown amounts stay unknown. */
export function sumSpend(spends: readonly SpendTotal[]): SpendTotal {
  const known = spends.flatMap(({ knownUsd }) => knownUsd ?? []);
  return {
    knownUsd: known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0),
    unknownPasses: spends.reduce((sum, { unknownPasses }) => sum + unknownPasses, 0),
    timeMs: spends.reduce((sum, { timeMs }) => sum + timeMs, 0),
  };
}

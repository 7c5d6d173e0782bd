import { nextUtcMidnight } from "../../pass/budget/task-budgets.ts";
import { addUsage, findSpent, type SpentBudget, type Usage } from "../../rules/budgets.ts";
import { plural } from "../../rules/wording.ts";
import type { SharedCooldown } from "../../task/records/ports.ts";
import { formatDuration } from "../../text/duration.ts";
import type { Refused, SharedCall } from "./engine.ts";

/** What the ledger knows at the moment of one reservation, while no other one is under way. */
export interface CallFacts {
  readonly now: Date;
  readonly rebuilt: boolean;
  readonly settled: boolean;
  readonly leased: boolean;
  readonly cooldown: SharedCooldown | null;
  /** The attempts of the account that hold a lease and a reservation. */
  readonly running: number;
  /** When calls of the account began in the last minute, oldest first. */
  readonly starts: readonly Date[];
  /** Of this UTC day, and what all open holds are taken to use. */
  readonly spent: Usage;
  readonly held: Usage;
}

const minuteMs = 60_000;
/** Reservations of others may be released at any time. */
const soonMs = 10_000;

/** Null: the call may begin. Of several reasons the first counts. */
export function refuseCall(facts: CallFacts, { account, limits, estimate }: SharedCall): Refused | null {
  const { now, cooldown, starts } = facts;
  const after = (ms: number, from = now) => new Date(from.getTime() + ms);
  if (facts.settled) return { by: "lease", reason: "the attempt is settled already", again: null };
  if (!facts.leased) return { by: "lease", reason: "the attempt no longer has a lease", again: null };
  if (!facts.rebuilt) {
    const reason = "the ledger is not counted from the journals; run `task-phase fleet setup --rebuild`";
    return { by: "not_rebuilt", reason, again: after(minuteMs) };
  }
  if (cooldown !== null) {
    const reason = `the account ${account} cools down until ${cooldown.until.toISOString()} (${cooldown.reason})`;
    return { by: "cooldown", reason, again: cooldown.until };
  }
  const { concurrent, startsPerMinute } = limits;
  if (concurrent !== null && facts.running >= concurrent) {
    const reason = `the account ${account} has ${plural(facts.running, "pass", "passes")} under way, but its limit is ${concurrent}`;
    return { by: "concurrent", reason, again: after(soonMs) };
  }
  const first = startsPerMinute === null ? undefined : starts[starts.length - startsPerMinute];
  if (first !== undefined) {
    const reason = `the account ${account} began ${plural(starts.length, "pass", "passes")} within a minute, but its limit is ${startsPerMinute}`;
    return { by: "starts", reason, again: after(minuteMs, first) };
  }
  const next = { estimateUsd: estimate.moneyUsd, tokens: estimate.tokens };
  const spentIn = (used: Usage) => findSpent([{ scope: "day", limits: limits.day, used }], next);
  const [budget] = spentIn(addUsage(facts.spent, facts.held));
  if (budget === undefined) return null;
  const again = spentIn(facts.spent).length > 0 ? new Date(nextUtcMidnight(now)) : after(soonMs);
  return { by: "budget", reason: renderBudget(budget), again };
}

function renderBudget({ kind, used, limit, estimate }: SpentBudget): string {
  const key = `fleet.budget.day.${kind === "money" ? "money_usd" : kind}`;
  const show = (amount: number) => {
    if (kind === "money") return amount.toFixed(2);
    return kind === "time" ? formatDuration(amount) : String(amount);
  };
  const more = estimate === null ? "" : `, and the call is estimated at ${show(estimate)}`;
  return `${show(used)} of ${show(limit)} of ${key} is spent or held${more}`;
}

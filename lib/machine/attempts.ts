import { addEvent } from "./add-event.ts";
import { addUsage, noUsage, type Usage } from "./budgets.ts";
import type { TaskEvent } from "./events.ts";
import { emptyHistory } from "./history.ts";
import { usedBetween } from "./usage.ts";

/** A pass that a runner claimed. */
export interface Attempt {
  readonly attempt: string;
  readonly pass: number;
  /** What it was charged with, its reviewers included; null as long as it has no verdict. */
  readonly used: Usage | null;
}

/**
 * The claimed passes of a journal, oldest first. The sums of their charges are those of `readUsage`, where no pass was
 * begun without a claim.
 */
export function readAttempts(events: readonly TaskEvent[]): Attempt[] {
  const names = new Map<number, string>();
  const charged = new Map<number, Usage>();
  const judged = new Set<number>();
  let history = emptyHistory;
  for (const event of events) {
    const before = history;
    history = addEvent(before, event);
    if (event.type === "pass_started" && event.runner !== undefined) names.set(event.pass, event.runner.attempt);
    if (event.type !== "verdict" && event.type !== "reviewed") continue;
    charged.set(event.pass, addUsage(charged.get(event.pass) ?? noUsage, usedBetween(before, history)));
    if (event.type === "verdict") judged.add(event.pass);
  }
  return [...names].map(([pass, attempt]) => ({
    attempt,
    pass,
    used: judged.has(pass) ? (charged.get(pass) ?? noUsage) : null,
  }));
}

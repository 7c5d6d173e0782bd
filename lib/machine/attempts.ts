import { addEvent } from "./add-event.ts";
import { addUsage, noUsage, type Usage } from "./budgets.ts";
import type { TaskEvent } from "./events.ts";
import { emptyHistory } from "./history.ts";
import { usedBetween } from "./usage.ts";

/** A claimed pass. */
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

import { renderTemplate } from "../../documents/templates/render-template.ts";
import type { Ticket } from "../../rules/decision.ts";
import { formatTime } from "../view/format.ts";

export interface DeferredData {
  /** The key of the brief that is spent, such as `budget.repairs`. */
  readonly key: string;
  /** The newest pass when this was deferred. */
  readonly pass: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly tickets: readonly Ticket[];
}

/** DEFERRED.md: what is left for later when the repairs, or another budget of the task, ran out. */
export function renderDeferred(data: DeferredData): string {
  return renderTemplate("DEFERRED.md", { ...data, at: formatTime(data.at) });
}

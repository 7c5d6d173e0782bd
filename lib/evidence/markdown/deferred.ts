import type { Ticket } from "../../machine/decision.ts";
import { renderTemplate } from "../../templates/render.ts";
import { formatTime } from "../view/words.ts";

export interface DeferredData {
  /** The pass in which the repairs ran out. */
  readonly pass: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly tickets: readonly Ticket[];
}

/** DEFERRED.md: what is left for later when the repairs ran out. */
export function renderDeferred(data: DeferredData): string {
  return renderTemplate("DEFERRED.md", { ...data, at: formatTime(data.at) });
}

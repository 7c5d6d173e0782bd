import type { Shape } from "../text/shape.ts";
import type { Verdict } from "./decision.ts";
import type { modelEnd } from "./shapes/facts.ts";

export type ModelEnd = Shape<typeof modelEnd>;

/** Reason code of a pass whose model gave no sign of work until its timeout, and changed nothing. */
export const noAnswer = "no_answer";

/** The limit for which a verdict puts its model on cooldown; null if there is none. */
export function findLimit({
  end,
  reasons,
}: {
  readonly end: ModelEnd;
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
}): { readonly reason: string; readonly until: string | null } | null {
  if (end.kind === "limited") return end;
  const waited = reasons.find(({ code }) => code === noAnswer);
  return waited === undefined ? null : { reason: waited.text, until: null };
}

/** A predicate with exit code or signal and the last error. Null if the model ended well or the runner ended it. */
export function renderTrouble(end: ModelEnd): string | null {
  if (end.kind !== "exited" || end.said === undefined) return null;
  return withWords(howItEnded(end), end.said);
}

/** Null if the verdict's reason has it already. */
export function untoldTrouble({ verdict, end }: { readonly verdict: Verdict; readonly end: ModelEnd }): string | null {
  return verdict === "unavailable" || verdict === "no_progress" ? null : renderTrouble(end);
}

export function renderNothing(end: Extract<ModelEnd, { readonly kind: "exited" }>): string {
  if (end.said === undefined || (end.said === null && end.exit_code === 0)) {
    return "the model ended without any result and without any change";
  }
  return withWords(`the model ${howItEnded(end)} and changed nothing`, end.said);
}

function howItEnded({ exit_code, signal, result_event }: Extract<ModelEnd, { readonly kind: "exited" }>): string {
  if (signal !== null) return `was killed by signal ${signal}`;
  if (exit_code !== 0) return `ended with exit code ${exit_code}`;
  return result_event ? "ended with an error" : "ended without a result";
}

function withWords(how: string, said: string | null): string {
  return said === null ? how : `${how}: ${said}`;
}

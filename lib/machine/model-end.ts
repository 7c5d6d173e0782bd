import type { ModelEnd, Verdict } from "./facts.ts";

/**
 * How the model's program ended badly, for a sentence whose subject is the model: its exit code or signal, and its last
 * error in its own words. Null where it ended well, where the runner ended it, and in records of an earlier version.
 */
export function describeTrouble(end: ModelEnd): string | null {
  if (end.kind !== "exited" || end.said === undefined) return null;
  return withWords(howItEnded(end), end.said);
}

/** The same, where the reason of the verdict does not tell it already. */
export function untoldTrouble({ verdict, end }: { readonly verdict: Verdict; readonly end: ModelEnd }): string | null {
  return verdict === "unavailable" || verdict === "no_progress" ? null : describeTrouble(end);
}

/** The same of a model that changed nothing and gave no result. */
export function describeNothing(end: Extract<ModelEnd, { readonly kind: "exited" }>): string {
  if (end.said === undefined || (end.said === null && end.exit_code === 0)) {
    return "the model ended without any result and without any change";
  }
  return withWords(`the model ${howItEnded(end)} and changed nothing`, end.said);
}

function howItEnded({ exit_code, signal, result_event }: Extract<ModelEnd, { readonly kind: "exited" }>): string {
  if (signal !== null) return `died by the signal ${signal}`;
  if (exit_code !== 0) return `ended with exit code ${exit_code}`;
  return result_event ? "ended with an error" : "ended without a result";
}

function withWords(how: string, said: string | null): string {
  return said === null ? how : `${how}: ${said}`;
}

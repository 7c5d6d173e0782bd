import type { Verdict } from "./decision.ts";

export const limitCauses = ["rate_limit", "quota", "overloaded"] as const;
export const interruptCauses = ["signal", "abort", "skip", "cut_off"] as const;

/** How the model's process ended. */
export type ModelEnd =
  | {
      readonly kind: "exited";
      readonly exit_code: number | null;
      readonly signal: string | null;
      readonly result_event: boolean;
      /**
       * The program's own last error in one line, redacted and shortened; null if it said nothing. Missing if it
       * ended well.
       */
      readonly said?: string | null;
    }
  /**
   * `role`: it was a reviewer that did not end, and the model itself was not called. `silent`: the model gave no sign of
   * work until then, as one that waits for its provider; missing if it did.
   */
  | { readonly kind: "timed_out"; readonly timeout_ms: number; readonly role?: string; readonly silent?: true }
  | { readonly kind: "not_started"; readonly reason: string }
  | {
      readonly kind: "limited";
      /** The provider's reason to refuse: too fast, nothing left to spend, or no capacity. */
      readonly cause: (typeof limitCauses)[number];
      readonly reason: string;
      /** When the provider says it ends, ISO 8601 in UTC; null if it does not say. */
      readonly until: string | null;
    }
  | { readonly kind: "auth_failed"; readonly reason: string }
  | {
      readonly kind: "interrupted";
      readonly reason: string;
      /** A person's ABORT or SKIP in CONTROL.md, a signal, or the end of the runner itself. */
      readonly cause: (typeof interruptCauses)[number];
    }
  /** The runner did not get to the model, since something that must not change had changed before. */
  | { readonly kind: "withheld"; readonly reason: string };

/** The code of the reason of a pass whose model gave no sign of work until its time was up, and changed nothing. */
export const noAnswer = "no_answer";

/** What keeps a model from being asked for a while, by the verdict of its pass; null if nothing does. */
export function findRest({
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

/**
 * How the model's program ended badly, for a sentence whose subject is the model: its exit code or signal, and its last
 * error in its own words. Null if it ended well, and if the runner ended it.
 */
export function describeTrouble(end: ModelEnd): string | null {
  if (end.kind !== "exited" || end.said === undefined) return null;
  return withWords(howItEnded(end), end.said);
}

/** The same, if the reason of the verdict does not tell it already. */
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
  if (signal !== null) return `was killed by signal ${signal}`;
  if (exit_code !== 0) return `ended with exit code ${exit_code}`;
  return result_event ? "ended with an error" : "ended without a result";
}

function withWords(how: string, said: string | null): string {
  return said === null ? how : `${how}: ${said}`;
}

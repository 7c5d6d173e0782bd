import type { VerdictEvent } from "./events.ts";
import { proofOf, tellProof } from "./headline.ts";
import type { StandingAnswer } from "./standing-facts.ts";

/** How the code of the repo differs from the code that `done` was said of. */
export type Moved =
  | { readonly kind: "paths"; readonly count: number }
  /** Which paths differ cannot be known here, and why. */
  | { readonly kind: "unknown"; readonly reason: string }
  /** The repo is here and cannot be read, so whether it differs is not known. */
  | { readonly kind: "unseen"; readonly reason: string };

/** What is asked of a verdict that says `done`. */
export type EndingVerdict = Pick<VerdictEvent, "verdict" | "to" | "checks" | "proof">;

/** What `done` rests on, and whether the code is still that of then. */
export function describeDone(
  last: EndingVerdict | null,
  moved: Moved | null,
): Pick<StandingAnswer, "brief" | "why" | "who" | "tone"> {
  if (!isProven(last)) {
    const text = "no proof is recorded";
    return { brief: text, why: text, who: "person", tone: "stopped" };
  }
  const { tone, shows } = tellProof(proofOf(last));
  const text = `${moved === null ? "" : `${tellMoved(moved)}; `}${shows.charAt(0).toLowerCase()}${shows.slice(1)}`;
  return { brief: text, why: text, who: "nobody", tone };
}

/** True if this verdict proves `done`. */
export function isProven<Verdict extends EndingVerdict>(last: Verdict | null): last is Verdict {
  return last?.to === "done" && last.verdict === "accepted" && last.checks !== null;
}

/** For example `moved since: 3 paths`. */
export function tellMoved(moved: Moved): string {
  if (moved.kind === "unseen") return `whether the code moved since is not known (${moved.reason})`;
  if (moved.kind === "unknown") return `moved since (${moved.reason})`;
  return `moved since: ${moved.count} ${moved.count === 1 ? "path" : "paths"}`;
}

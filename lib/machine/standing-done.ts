import { renderProof } from "./headline.ts";
import type { Proof } from "./square.ts";
import type { EndingVerdict, Moved, StandingAnswer } from "./standing-facts.ts";

/** What `done` rests on, and whether the code is still that of then. */
export function describeDone(
  last: EndingVerdict | null,
  moved: Moved | null,
): Pick<StandingAnswer, "brief" | "why" | "who" | "tone"> {
  if (!isProven(last)) {
    const text = "no proof is recorded";
    return { brief: text, why: text, who: "person", tone: "stopped" };
  }
  const { tone, shows } = renderProof(last.proof);
  const text = `${moved === null ? "" : `${renderMovedSince(moved)}; `}${shows.charAt(0).toLowerCase()}${shows.slice(1)}`;
  return { brief: text, why: text, who: "nobody", tone };
}

/** True if this verdict proves `done`. */
export function isProven<Verdict extends EndingVerdict>(
  last: Verdict | null,
): last is Verdict & { readonly proof: Proof } {
  return last?.to === "done" && last.verdict === "accepted" && last.checks !== null && last.proof !== null;
}

/** For example `moved since: 3 paths`. */
export function renderMovedSince(moved: Moved): string {
  if (moved.kind === "unseen") return `it is not known whether the code has moved since (${moved.reason})`;
  if (moved.kind === "unknown") return `moved since (${moved.reason})`;
  return `moved since: ${moved.count} ${moved.count === 1 ? "path" : "paths"}`;
}

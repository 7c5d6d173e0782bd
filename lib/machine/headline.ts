import type { Proof } from "./square.ts";
import type { EndingVerdict, Moved, StandingAnswer } from "./standing-facts.ts";

/** The first line of every report of `done`. */
export interface Headline {
  /** `amber`: the proof shows less than a reader would expect. */
  readonly tone: "good" | "amber";
  /** One or two sentences without a newline. */
  readonly text: string;
}

/** Says no more than the proof shows. */
export function headlineOf(proof: Proof): Headline {
  const { tone, shows } = renderProof(proof);
  return { tone, text: `Done. ${shows}` };
}

/** The basis of `done`, without that word. A person's look is added to what ran, but is no part of it. */
export function renderProof(proof: Proof): { readonly tone: Headline["tone"]; readonly shows: string } {
  const { tone, shows } = renderRun(proof);
  const { looked } = proof;
  return {
    tone,
    shows: looked.length === 0 ? shows : `${shows}. A person looked at ${looked.join(", ")} and said yes`,
  };
}

function renderRun(proof: Proof): { readonly tone: Headline["tone"]; readonly shows: string } {
  const checks = proof.passed === 1 ? "1 check passes" : `${proof.passed} checks pass`;
  const fail = proof.failing.length === 1 ? "fails" : "fail";
  switch (proof.grade) {
    case "shown":
      return { tone: "good", shows: `${checks}; without this work, ${proof.failing.length} of them ${fail}` };
    case "kept":
      return { tone: "amber", shows: "Nothing broke, but no check fails without this work" };
    case "unshown": {
      const reason = proof.reason ?? "not judged";
      return { tone: "amber", shows: `${checks}; whether they notice this work was not shown: ${reason}` };
    }
  }
}

/** The basis of `done`, and whether the code moved since. */
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

export function isProven<Verdict extends EndingVerdict>(
  last: Verdict | null,
): last is Verdict & { readonly proof: Proof } {
  return last?.to === "done" && last.verdict === "accepted" && last.checks !== null && last.proof !== null;
}

/** `moved since: 3 paths` */
export function renderMovedSince(moved: Moved): string {
  if (moved.kind === "unseen") return `it is not known whether the code has moved since (${moved.reason})`;
  if (moved.kind === "unknown") return `moved since (${moved.reason})`;
  return `moved since: ${moved.count} ${moved.count === 1 ? "path" : "paths"}`;
}

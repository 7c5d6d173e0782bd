import type { Proof } from "./square.ts";

/** How the first line of every report says what `done` rests on. */
export interface Headline {
  /** `good` for a proof that is shown; `amber` for one that shows less than a reader would expect. */
  readonly tone: "good" | "amber";
  /** One sentence or two, without a newline. */
  readonly text: string;
}

/** The headline of a task that is done. It says no more than the proof shows. */
export function headlineOf(proof: Proof): Headline {
  const { tone, shows } = renderProof(proof);
  return { tone, text: `Done. ${shows}` };
}

/** The basis of `done`, without that word. A person's look is said beside what ran, and is no part of it. */
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

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
  const checks = proof.passed === 1 ? "1 check passes" : `${proof.passed} checks pass`;
  switch (proof.grade) {
    case "shown": {
      const failing = proof.failing.length === 1 ? "1 of them fails" : `${proof.failing.length} of them fail`;
      return { tone: "good", text: `Done. ${checks}; without this work, ${proof.passed === 1 ? "it fails" : failing}` };
    }
    case "kept":
      return { tone: "amber", text: "Done. Nothing broke, but no check fails without this work" };
    case "unshown":
      return {
        tone: "amber",
        text: `Done. ${checks}; whether ${proof.passed === 1 ? "it notices" : "they notice"} this work was not shown: ${proof.reason ?? "not judged"}`,
      };
  }
}

import type { TreeEntry } from "../git/commits.ts";
import type { Problem } from "./problem.ts";

/** The findings about the STATE.md of one step, in the order of the commits. */
export interface ReadStep {
  readonly entry: TreeEntry | null;
  /** Where the problem that it cannot be read is in the list; null if it can be, or is gone. */
  readonly problem: number | null;
}

/**
 * A STATE.md that cannot be read claims no transition: if a later commit has one that can be, or has none, it is a
 * warning. What HEAD has, and what led to it without a readable one between, stays an error.
 */
export function judgeUnreadable(
  problems: readonly Problem[],
  steps: readonly ReadStep[],
  head: TreeEntry | null,
): Problem[] {
  const isHeads = ({ entry }: ReadStep) => entry?.oid === head?.oid && entry?.mode === head?.mode;
  const broken = steps.some((step) => step.problem !== null && isHeads(step));
  const readAgain = broken ? steps.findLastIndex(({ problem }) => problem === null) : steps.length;
  const settled = new Set(
    steps.flatMap((step, index) =>
      step.problem !== null && index < readAgain && !isHeads(step) ? [step.problem] : [],
    ),
  );
  return problems.map((problem, index) =>
    settled.has(index)
      ? { ...problem, severity: "warning", text: `${problem.text}; a later commit corrected it`, fix: null }
      : problem,
  );
}

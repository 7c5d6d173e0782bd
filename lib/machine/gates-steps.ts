import type { StepProof } from "./facts.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import type { Phase } from "./phases.ts";

/**
 * The proof that an item of TASKS.md names is there: of each item that this pass ticked, whatever it proposes, and of
 * every item at `done`. Before `done` there is such a gate only if it fails.
 */
export function stepsProven({ steps: { before }, step_proofs: proofs }: GateInput, to: Phase): Gate[] {
  const wasDone = (text: string) => before.some((step) => step.done && step.text === text);
  const judged = to === "done" ? proofs : proofs.filter(({ text }) => !wasDone(text));
  const missing = judged.filter(({ problem }) => problem !== null);
  if (missing.length === 0 && (to !== "done" || proofs.length === 0)) return [];
  const told = missing.map(describe).join("; ");
  return [
    gate(
      "steps_proven",
      "The proof that each ticked item of TASKS.md names is there",
      missing.length === 0,
      missing.length === 0 ? proofs.map(({ path }) => path).join(", ") : told,
      `${told}; make the file, or untick the item`,
    ),
  ];
}

function describe({ line, path, problem }: StepProof): string {
  return `the item at TASKS.md:${line} is ticked and names ${path} as its proof, ${problem}`;
}

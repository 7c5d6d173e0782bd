import { isWorkingPhase, type Phase, phaseNames, phases } from "../../rules/phases.ts";

/**
 * The phases as a Mermaid state diagram, without its fence and without a newline at the end. The present phase is
 * marked by its words as well as by colour. Well under the 2,000 characters from which on some hosts want a click.
 */
export function phaseDiagram(current: Phase | null): string {
  const moves = phaseNames.flatMap((from) => phases[from].next.map((to) => `  ${from} --> ${to}`));
  const ends = phaseNames.filter((name) => !isWorkingPhase(name)).map((name) => `  ${name} --> [*]`);
  const mark =
    current === null
      ? []
      : [
          `  ${current} : ${current} (now)`,
          "  classDef now fill:#0b5cad,color:#fff,stroke:#0b5cad",
          `  class ${current} now`,
        ];
  return ["stateDiagram-v2", "  [*] --> intake", ...moves, ...ends, ...mark].join("\n");
}

import type { Shape } from "../text/shape.ts";
import { type Phase, phases } from "./phases.ts";
import type { changeSize, overBounds } from "./shapes/facts.ts";
import type { bounds } from "./shapes/policy.ts";
import { plural } from "./wording.ts";

export type Bounds = Shape<typeof bounds>;

export type ChangeSize = Shape<typeof changeSize>;

export type OverBounds = Shape<typeof overBounds>;

export function findOverBounds(phase: Phase, change: ChangeSize | null, bounds: Bounds): OverBounds | null {
  if (change === null || (phase !== "verify" && phase !== "repair")) return null;
  const most = bounds[phase];
  const isOver = change.files > most.files || (change.lines ?? 0) > most.lines;
  return isOver ? { phase, ...change, most: { files: most.files, lines: most.lines } } : null;
}

/** `the pass changed 12 files and 340 lines in verify; its bounds are 10 files and 200 lines` */
export function renderOverBounds({ phase, files, lines, most }: OverBounds): string {
  return `the pass changed ${renderSize({ files, lines })} in ${phases[phase].name}; its bounds are ${renderSize(most)}`;
}

/** `1 file and 40 lines` */
export function renderSize({ files, lines }: ChangeSize): string {
  const counted = plural(files, "file");
  return lines === null ? counted : `${counted} and ${plural(lines, "line")}`;
}

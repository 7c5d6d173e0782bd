import { type Phase, phases } from "./phases.ts";

/** How much one pass may change. */
export interface Limits {
  readonly files: number;
  /** Added and removed lines together. */
  readonly lines: number;
}

/** The bounds of the phases that are no place for broad work, and whether more than that is refused or shown. */
export interface Bounds {
  readonly verify: Limits;
  readonly repair: Limits;
  readonly over: "show" | "block";
}

/** How much a pass changed in the repo. */
export interface ChangeSize {
  readonly files: number;
  /** Null if nobody could count them, as without git. */
  readonly lines: number | null;
}

/** A change that is larger than its bounds. */
export interface OverBounds extends ChangeSize {
  readonly phase: Phase;
  readonly most: Limits;
}

/** Null if the change is within the bounds of the phase, or if the phase has none. */
export function findOverBounds(phase: Phase, change: ChangeSize | null, bounds: Bounds): OverBounds | null {
  if (change === null || (phase !== "verify" && phase !== "repair")) return null;
  const most = bounds[phase];
  const isOver = change.files > most.files || (change.lines ?? 0) > most.lines;
  return isOver ? { phase, ...change, most: { files: most.files, lines: most.lines } } : null;
}

/** As `the pass changed 12 files and 340 lines in verify; its bounds are 10 files and 200 lines`. */
export function renderOverBounds({ phase, files, lines, most }: OverBounds): string {
  return `the pass changed ${renderSize({ files, lines })} in ${phases[phase].name}; its bounds are ${renderSize(most)}`;
}

/** As `1 file and 40 lines`. */
export function renderSize({ files, lines }: ChangeSize): string {
  const counted = `${files} ${files === 1 ? "file" : "files"}`;
  return lines === null ? counted : `${counted} and ${lines} ${lines === 1 ? "line" : "lines"}`;
}

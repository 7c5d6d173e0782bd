import { isWorkingPhase, type Phase, phaseNames, phases } from "../../machine/phases.ts";
import { plural, words } from "../view/words.ts";

export type PhaseMark = "here" | "been" | "ahead";

/** The phases as boxes and lines in a drawing, and the same in words. Numbers are units of the drawing. */
export interface PhaseDrawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly middleX: number;
    readonly middleY: number;
    readonly label: string;
    readonly mark: PhaseMark;
  }[];
  /** One for each transition of the table; `taken` ones were accepted at least once. */
  readonly lines: readonly { readonly path: string; readonly taken: boolean }[];
  /** Where a transition meets the line that leads to a stop. */
  readonly dots: readonly { readonly x: number; readonly y: number; readonly taken: boolean }[];
  readonly summary: string;
  readonly words: readonly { readonly phase: string; readonly mark: PhaseMark; readonly text: string }[];
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const boxHeight = 32;
/** From the left edge; a column for the way to done, repair beside it, and the two stops below. */
const boxes: Readonly<Record<Phase, Box>> = {
  intake: { x: 6, y: 6, width: 124 },
  shape: { x: 6, y: 66, width: 124 },
  implement: { x: 6, y: 126, width: 124 },
  verify: { x: 6, y: 186, width: 124 },
  repair: { x: 160, y: 240, width: 100 },
  review: { x: 6, y: 294, width: 124 },
  done: { x: 6, y: 354, width: 124 },
  blocked: { x: 6, y: 430, width: 124 },
  needs_user_decision: { x: 154, y: 430, width: 180 },
};
/** Lines down to the two stops; a dot on one is a transition that leads there. */
const rails: Readonly<Partial<Record<Phase, number>>> = { blocked: 290, needs_user_decision: 318 };
const railTurn = 410;

/** The table of phases with the current one marked, those that were reached, and the transitions that were accepted. */
export function drawPhases(
  present: Phase | null,
  passes: readonly { readonly from: string; readonly to: string }[],
): PhaseDrawing {
  const been = new Set(passes.flatMap(({ from, to }) => [from, to]));
  const taken = (from: Phase, to: Phase) => passes.some((pass) => pass.from === from && pass.to === to);
  const markOf = (phase: Phase): PhaseMark => (phase === present ? "here" : been.has(phase) ? "been" : "ahead");
  const moves = phaseNames.flatMap((from) => phases[from].next.map((to) => ({ from, to, taken: taken(from, to) })));
  const stops = moves.filter(({ to }) => rails[to] !== undefined);
  return {
    width: 340,
    height: 470,
    boxes: phaseNames.map((phase) => {
      const { x, y, width } = boxes[phase];
      const middle = { middleX: x + width / 2, middleY: y + boxHeight / 2 };
      return { x, y, width, height: boxHeight, ...middle, label: labelOf(phase, markOf(phase)), mark: markOf(phase) };
    }),
    // Those that were taken lie on top.
    lines: moves
      .toSorted((a, b) => Number(a.taken) - Number(b.taken))
      .map((move) => ({ path: pathOf(move.from, move.to), taken: move.taken })),
    dots: stops.map(({ from, to, taken }) => ({ x: rails[to] ?? 0, y: portY(from), taken })),
    summary: summaryOf(present, been),
    words: phaseNames.map((phase) => ({
      phase: words(phase),
      mark: markOf(phase),
      text: inWords(phase, markOf(phase), passes.filter(({ from }) => from === phase).length),
    })),
  };
}

function labelOf(phase: Phase, mark: PhaseMark): string {
  if (mark === "here") return `${words(phase)} (now)`;
  return mark === "been" ? `✓ ${words(phase)}` : words(phase);
}

/** Where a line to one of the stops leaves a box, so that it crosses no other line. */
function portY(from: Phase): number {
  const { y } = boxes[from];
  return from === "verify" ? y + 8 : from === "review" ? y + 24 : y + boxHeight / 2;
}

function pathOf(from: Phase, to: Phase): string {
  const [a, b] = [boxes[from], boxes[to]];
  const right = a.x + a.width;
  const rail = rails[to];
  if (rail !== undefined) {
    // Straight down to the stop that is below its line, else over to it above its box.
    const under = b.x <= rail && rail <= b.x + b.width;
    const end = under ? `V${b.y - 4}` : `V${railTurn} H${b.x + b.width / 2} V${b.y - 4}`;
    return `M${right} ${portY(from)} H${rail} ${end}`;
  }
  if (from === "repair") return `M${a.x} ${a.y + 16} H${b.x + b.width + 14} V${b.y + 26} H${b.x + b.width + 4}`;
  if (to === "repair" && from === "review") return `M${right} ${a.y + 8} H${b.x + b.width / 2} V${b.y + boxHeight + 4}`;
  if (to === "repair") return `M${right} ${a.y + 17} H${b.x + b.width / 2} V${b.y - 4}`;
  return `M${a.x + a.width / 2} ${a.y + boxHeight} V${b.y - 4}`;
}

function summaryOf(present: Phase | null, been: ReadonlySet<string>): string {
  const visited = phaseNames.filter((phase) => phase !== present && been.has(phase)).map(words);
  const now = present === null ? "No phase yet." : `The task is in ${words(present)}.`;
  return visited.length === 0 ? now : `${now} It has been in ${visited.join(", ")}.`;
}

function inWords(phase: Phase, mark: PhaseMark, count: number): string {
  const standing = { here: "here now", been: "reached", ahead: "not reached" }[mark];
  const passes = count === 0 ? "" : `, ${plural(count, "pass", "passes")}`;
  if (!isWorkingPhase(phase)) return `${standing}${passes}; no pass continues from here`;
  return `${standing}${passes}; leads to ${phases[phase].next.map(words).join(", ")}`;
}

import { isPhase, isWorkingPhase, type Phase, phaseNames } from "../../machine/phases.ts";
import { showShort } from "../../templates/visible.ts";
import { formatDuration } from "../../text/duration.ts";
import type { PassRow } from "../model/passes.ts";
import { words } from "../view/words.ts";

/** Passes beyond these are in the table only. */
export const chartedPasses = 60;
/** Units of the drawing from one pass to the next. */
export const pitch = 52;

const laneHeight = 26;
const top = 8;
const barRoom = 34;

/** A shape for each verdict, as a path around 0, 0; none of them tells by its colour alone. */
export const verdictShapes: Readonly<Record<string, string>> = {
  accepted: "M-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0z",
  redirected: "M0-8L8 0L0 8L-8 0z",
  rejected: "M-6-6L6 6M6-6L-6 6",
  no_progress: "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z",
  unavailable: "M-6-6H6V6H-6z",
  interrupted: "M0-7L7 6H-7z",
};

export interface Timeline {
  readonly width: number;
  readonly height: number;
  readonly lanes: readonly { readonly name: string; readonly y: number; readonly middle: number }[];
  readonly laneHeight: number;
  /** Through the phases, pass after pass. */
  readonly way: string;
  readonly passes: readonly {
    readonly pass: number;
    readonly label: string;
    readonly left: number;
    readonly x: number;
    readonly y: number;
    readonly shape: string;
    readonly verdict: string;
    readonly model: string;
    readonly bar: { readonly y: number; readonly height: number } | null;
    readonly duration: string;
  }[];
  /** Where the task stopped; null while it works. */
  readonly end: { readonly x: number; readonly y: number; readonly label: string } | null;
  readonly rows: { readonly number: number; readonly bars: number; readonly duration: number; readonly model: number };
  readonly legend: readonly { readonly shape: string; readonly verdict: string; readonly name: string }[];
  readonly earlier: number;
}

/** The newest passes, each in the lane of its phase, with its duration as a bar and its model below. */
export function drawTimeline(passes: readonly PassRow[], present: Phase | null): Timeline {
  const charted = passes.slice(-chartedPasses);
  const stopped = present !== null && !isWorkingPhase(present) ? present : null;
  const names = lanesOf(charted, stopped);
  const middleOf = (phase: Phase) => top + names.indexOf(phase) * laneHeight + laneHeight / 2;
  const lanesEnd = top + names.length * laneHeight;
  const rows = {
    number: lanesEnd + 16,
    bars: lanesEnd + 30 + barRoom,
    duration: lanesEnd + 44 + barRoom,
    model: lanesEnd + 60 + barRoom,
  };
  const longest = Math.max(1, ...charted.map(({ durationMs }) => durationMs ?? 0));
  let lane: Phase = names[0] ?? "intake";
  const points: string[] = [];
  const drawn = charted.map((row, index) => {
    // A pass without a verdict ran where the one before it left off.
    if (isPhase(row.from)) lane = row.from;
    const [x, y] = [index * pitch + pitch / 2, middleOf(lane)];
    points.push(`${index === 0 ? "M" : "L"}${x} ${y}`);
    if (isPhase(row.to) && names.includes(row.to)) lane = row.to;
    const height = row.durationMs === null ? null : Math.max(1, round((row.durationMs / longest) * barRoom));
    const duration = row.durationMs === null ? "?" : formatDuration(roundLong(row.durationMs));
    return {
      ...{ pass: row.pass, label: labelOf(row), left: index * pitch, x, y },
      ...{
        shape: verdictShapes[row.verdict] ?? "",
        verdict: row.verdict in verdictShapes ? row.verdict : "unavailable",
      },
      model: showShort(row.model ?? "?", 7),
      bar: height === null ? null : { y: rows.bars - height, height },
      duration: showShort(duration, 7),
    };
  });
  const end =
    stopped === null || charted.length === 0
      ? null
      : { x: charted.length * pitch + pitch / 2, y: middleOf(stopped), label: words(stopped) };
  if (end !== null) points.push(`L${end.x - 8} ${end.y}`);
  return {
    width: (charted.length + (end === null ? 0 : 1)) * pitch,
    height: rows.model + 8,
    lanes: names.map((name) => ({ name: shortLane(name), y: middleOf(name) - laneHeight / 2, middle: middleOf(name) })),
    laneHeight,
    way: points.join(""),
    passes: drawn,
    end,
    rows,
    legend: legendOf(charted),
    earlier: passes.length - charted.length,
  };
}

/** Repair is beside verify, where it leads. */
const laneOrder: readonly Phase[] = phaseNames
  .filter((name) => name !== "repair")
  .flatMap((name) => (name === "review" ? (["repair", name] as const) : [name]));

function lanesOf(passes: readonly PassRow[], stopped: Phase | null): Phase[] {
  const used = new Set<string>(passes.flatMap(({ from, to }) => [from, to]));
  return laneOrder.filter((name) => name === stopped || (used.has(name) && isWorkingPhase(name)));
}

/** As wide as the column of names allows. */
function shortLane(phase: Phase): string {
  return phase === "needs_user_decision" ? "a person" : words(phase);
}

function labelOf(row: PassRow): string {
  const where =
    row.from === ""
      ? "not judged"
      : row.from === row.to
        ? `in ${words(row.from)}`
        : `${words(row.from)} to ${words(row.to)}`;
  const time = row.durationMs === null ? "duration not known" : formatDuration(row.durationMs);
  return `Pass ${row.pass}: ${where}, ${words(row.verdict)}, ${time}, model ${showShort(row.model ?? "not known", 60)}`;
}

function legendOf(passes: readonly PassRow[]): Timeline["legend"] {
  const seen = new Set(passes.map(({ verdict }) => verdict));
  return Object.entries(verdictShapes)
    .filter(([verdict]) => seen.has(verdict))
    .map(([verdict, shape]) => ({ shape, verdict, name: words(verdict) }));
}

/** From ten minutes on the seconds are left out. */
function roundLong(ms: number): number {
  return ms < 600_000 ? ms : Math.round(ms / 60_000) * 60_000;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

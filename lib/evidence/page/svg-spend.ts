import { dollarFigure } from "../../machine/spend.ts";
import { showShort } from "../../templates/visible.ts";
import type { PassRow } from "../model/passes.ts";
import { formatCost, plural } from "../view/words.ts";
import { chartedPasses, pitch, round } from "./svg-timeline.ts";

export interface SpendChart {
  readonly width: number;
  readonly height: number;
  readonly charts: readonly {
    readonly name: string;
    readonly base: number;
    /** The middle of its bars, for its name. */
    readonly middle: number;
    readonly bars: readonly Bar[];
  }[];
  readonly numbers: readonly { readonly x: number; readonly text: string }[];
  readonly summary: string;
}

interface Bar {
  readonly x: number;
  readonly middle: number;
  readonly y: number;
  readonly height: number;
  /** Nobody reported it: the bar is an outline with the word, and its height says nothing. */
  readonly unknown: boolean;
  readonly text: string;
  readonly textY: number;
}

const barRoom = 70;
const barWidth = 22;
const textRoom = 18;
const gap = 12;

/** Draws cost and tokens of the newest passes as rows of bars; null if neither differs between two passes. */
export function drawSpend(passes: readonly PassRow[]): SpendChart | null {
  const charted = passes.slice(-chartedPasses);
  const rows = [
    { name: "cost", values: charted.map(({ costUsd }) => amountOf(costUsd, shortCost)) },
    { name: "tokens", values: charted.map(({ tokens }) => tokensOf(tokens)) },
  ].filter(({ values }) => new Set(values.flatMap(({ amount }) => (amount === null ? [] : [amount]))).size > 1);
  if (rows.length === 0) return null;
  const rowHeight = textRoom + barRoom + gap;
  const height = rows.length * rowHeight + 14;
  return {
    width: charted.length * pitch,
    height,
    charts: rows.map(({ name, values }, row) => {
      const base = row * rowHeight + textRoom + barRoom;
      return { name, base, middle: base - barRoom / 2, bars: drawBars(values, base) };
    }),
    numbers: charted.map(({ pass }, index) => ({ x: index * pitch + pitch / 2, text: String(pass) })),
    summary: summaryOf(charted),
  };
}

interface Value {
  readonly amount: number | null;
  readonly text: string;
}

function drawBars(values: readonly Value[], base: number): Bar[] {
  const most = Math.max(...values.map(({ amount }) => amount ?? 0)) || 1;
  return values.map(({ amount, text }, index) => {
    const middle = index * pitch + pitch / 2;
    const unknown = amount === null;
    const height = unknown ? barRoom : amount === 0 ? 0 : Math.max(1.5, round((amount / most) * barRoom));
    const y = round(base - height);
    return { x: middle - barWidth / 2, middle, y, height, unknown, text, textY: unknown ? base - 6 : round(y - 5) };
  });
}

function amountOf(amount: number | null, say: (amount: number) => string): Value {
  return { amount, text: amount === null ? "not known" : say(amount) };
}

/** The known sum of the two; a plus marks that there is more. */
function tokensOf({ input, output }: PassRow["tokens"]): Value {
  if (input === null && output === null) return amountOf(null, shortCount);
  const amount = (input ?? 0) + (output ?? 0);
  return { amount, text: `${shortCount(amount)}${input === null || output === null ? "+" : ""}` };
}

/** At most seven characters; the caption names the unit. */
function shortCost(usd: number): string {
  const text = usd >= 100 ? shortCount(Math.round(usd)) : dollarFigure(usd);
  return showShort(text, 7);
}

function shortCount(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 1e6 ? [count / 1000, "k"] : count < 1e9 ? [count / 1e6, "M"] : [count / 1e9, "G"];
  return `${value < 100 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

function summaryOf(passes: readonly PassRow[]): string {
  const unknown = passes.filter(({ costUsd }) => costUsd === null).length;
  const known = passes.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  const shown = `${plural(passes.length, "pass", "passes")}`;
  if (unknown === passes.length) return `The cost of ${shown} is not known.`;
  const rest = unknown === 0 ? "" : `; of ${plural(unknown, "pass", "passes")} it is not known`;
  const reviewers = passes.some(({ reviews }) => reviews !== null) ? ", without their reviewers" : "";
  return `${shown} cost ${formatCost(known)} in all${reviewers}${rest}. The table holds each number.`;
}

import { relative } from "node:path";
import type { RunDigest, StoppedTask } from "../loop/run-report.ts";
import { formatDuration } from "../text/duration.ts";
import { shorten } from "../text/shorten.ts";
import { type Line, paint, type Style, toneStyles } from "./paint.ts";

/** Together with the line above it at most eight lines: what a person reads in the morning. */
const mostStopped = 3;
const mostNamed = 10;
const longestWhy = 160;

/** The last lines of a run: what is done, what stopped and why, what is left, what it took, and where to read on. */
export function describeDigest(digest: RunDigest, cwd: string): Line[] {
  const { done, stopped, left, cost, timeMs, report, evidence } = digest;
  const named = stopped.slice(0, stopped.length > mostStopped ? mostStopped - 1 : mostStopped);
  const more = stopped.slice(named.length);
  return [
    ...(done.length === 0 ? [] : [labelled("good", "done", nameSome(done))]),
    ...named.map(describeStopped),
    ...(more.length === 0 ? [] : [labelled("bad", "stopped", nameSome(more.map(({ name }) => name)))]),
    ...(left.length === 0 ? [] : [labelled("note", "not done", nameSome(left))]),
    labelled("heading", "in all", `${cost}, ${formatDuration(timeMs)}`),
    ...(evidence === null ? [] : [labelled("heading", "evidence", relative(cwd, evidence))]),
    ...(report === null ? [] : [labelled("heading", "report", relative(cwd, report) || report)]),
  ];
}

function describeStopped({ name, standing, why, tone }: StoppedTask): Line {
  return [
    paint(toneStyles[tone], "stopped"),
    `: ${name} `,
    paint(toneStyles[tone], standing),
    `, ${shorten(why, longestWhy)}`,
  ];
}

function labelled(style: Style, label: string, text: string): Line {
  return [paint(style, label), `: ${text}`];
}

function nameSome(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

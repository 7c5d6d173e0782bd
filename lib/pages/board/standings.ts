import { showShort } from "../../documents/templates/visible.ts";
import type { Spend } from "../../rules/spend.ts";
import { type Standing, standings } from "../../rules/standing-facts.ts";
import { sumSpend } from "../../rules/usage.ts";
import { plural } from "../../rules/wording.ts";
import { formatDuration } from "../../text/duration.ts";
import { formatCost } from "../view/format.ts";
import type { BoardTask } from "./input.ts";

const standingWords: Readonly<Record<Standing, string>> = {
  asks: "asks",
  stuck: "stuck",
  blocked: "blocked",
  refused: "refused",
  unreadable: "cannot be read",
  running: "running",
  runnable: "ready",
  cooling: "cooling down",
  waits: "waits",
  paused: "paused",
  cancelled: "cancelled",
  done: "done",
};

/** `12 tasks: 2 ask, 1 blocked, 9 done`. */
export function summarise(tasks: readonly Pick<BoardTask, "standing" | "tone">[]): string {
  if (tasks.length === 0) return "no task";
  const unproven = tasks.filter(({ standing, tone }) => standing === "done" && tone !== "good").length;
  const parts = countStandings(tasks).map(({ standing, count }) => {
    const without = standing === "done" && unproven > 0 ? ` (${unproven} without proof)` : "";
    return `${count} ${inWords(standing, count)}${without}`;
  });
  return `${plural(tasks.length, "task")}: ${parts.join(", ")}`;
}

/** `31 passes, 4.20 USD, 2h10m`: what all tasks took together; empty before the first pass. */
export function summariseSpend(tasks: readonly Pick<BoardTask, "passes" | "spend">[]): string {
  const passes = tasks.reduce((sum, task) => sum + task.passes, 0);
  if (passes === 0) return "";
  const spend = sumSpend(tasks.map((task) => task.spend));
  return `${plural(passes, "pass", "passes")}, ${formatSpend(spend)}, ${formatDuration(spend.timeMs)}`;
}

export function countStandings(tasks: readonly Pick<BoardTask, "standing">[]) {
  const counts = new Map<Standing, number>();
  for (const { standing } of tasks) counts.set(standing, (counts.get(standing) ?? 0) + 1);
  return standings.flatMap((standing) => {
    const count = counts.get(standing);
    return count === undefined ? [] : [{ standing, count }];
  });
}

/** The word for that many tasks: one asks, two ask. */
function inWords(standing: Standing, count: number): string {
  const several: Partial<Record<Standing, string>> = { asks: "ask", cooling: "cooling down", waits: "wait" };
  return (count === 1 ? undefined : several[standing]) ?? standingWords[standing];
}

/** The standing of one task; a task that waits for something impossible is not shown as waiting. */
export function renderStanding({ standing, who }: Pick<BoardTask, "standing" | "who">): string {
  return standing === "waits" && who === "person" ? "cannot continue" : standingWords[standing];
}

/** The name of a task for people: its id, else that of its folder. */
export function nameOf({ id, folder }: Pick<BoardTask, "id" | "folder">): string {
  return showShort(id ?? folder, 80) || "a task without a name";
}

/** True if a person's answer, edit or repair is due. Who paused or cancelled a task knows of it. */
export function needsPerson({ standing, who }: Pick<BoardTask, "standing" | "who">): boolean {
  return who === "person" && standing !== "paused" && standing !== "cancelled" && standing !== "done";
}

/** `2026-11-20 10:00 UTC` for an ISO time; nothing else is passed on. */
export function formatMinute(iso: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/.exec(iso);
  return match === null ? "unknown time" : `${match[1]} ${match[2]} UTC`;
}

export function formatSpend({ knownUsd, unknownPasses }: Pick<Spend, "knownUsd" | "unknownPasses">): string {
  if (knownUsd === null) return unknownPasses === 0 ? "nothing spent" : "cost not known";
  const unknown = unknownPasses === 0 ? "" : `, and ${plural(unknownPasses, "call", "calls")} of unknown cost`;
  return `${formatCost(knownUsd)}${unknown}`;
}

/** `12.3k tokens`. A sum of nothing is not known, if passes ran. */
export function formatTokenSum(tokens: number, passes: number): string {
  if (tokens === 0) return passes === 0 ? "" : "tokens not known";
  if (tokens < 1000) return plural(tokens, "token");
  return tokens < 1_000_000 ? `${(tokens / 1000).toFixed(1)}k tokens` : `${(tokens / 1_000_000).toFixed(1)}M tokens`;
}

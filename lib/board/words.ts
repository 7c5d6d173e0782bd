import { formatCost, plural } from "../evidence/view/words.ts";
import type { Spend } from "../machine/spend.ts";

const hourMs = 3_600_000;

/** `2026-11-20 10:00 UTC` for an ISO time; nothing else is passed on. */
export function formatMinute(iso: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/.exec(iso);
  return match === null ? "unknown time" : `${match[1]} ${match[2]} UTC`;
}

/** How long ago, in steps that a board need not be rewritten for every minute; a clock that went back says nothing. */
export function formatAge(at: string, now: string): string {
  const ms = Date.parse(now) - Date.parse(at);
  if (!(ms >= 0)) return "age not known";
  if (ms < hourMs) return "under an hour ago";
  const hours = Math.floor(ms / hourMs);
  return `${hours < 48 ? plural(hours, "hour") : plural(Math.floor(hours / 24), "day")} ago`;
}

/** The reported cost of passes. */
export function formatSpend({ knownUsd, unknownPasses }: Pick<Spend, "knownUsd" | "unknownPasses">): string {
  if (knownUsd === null) return unknownPasses === 0 ? "nothing spent" : "cost not known";
  const unknown = unknownPasses === 0 ? "" : `, and ${plural(unknownPasses, "pass", "passes")} not known`;
  return `${formatCost(knownUsd)}${unknown}`;
}

/** `12.3k tokens`. A sum of nothing is not known, if passes ran. */
export function formatTokenSum(tokens: number, passes: number): string {
  if (tokens === 0) return passes === 0 ? "" : "tokens not known";
  if (tokens < 1000) return plural(tokens, "token");
  return tokens < 1_000_000 ? `${(tokens / 1000).toFixed(1)}k tokens` : `${(tokens / 1_000_000).toFixed(1)}M tokens`;
}

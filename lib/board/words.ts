import { formatCost, plural } from "../evidence/view/words.ts";
import type { Spend } from "../machine/spend.ts";

/** `2026-11-20 10:00 UTC` for an ISO time; nothing else is passed on. */
export function formatMinute(iso: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/.exec(iso);
  return match === null ? "unknown time" : `${match[1]} ${match[2]} UTC`;
}

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

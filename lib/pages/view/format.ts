import { dollars } from "../../rules/spend.ts";

/** `2026-11-21 10:00:05 UTC` for an ISO time; nothing else is passed on. */
export function formatTime(iso: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(iso);
  return match === null ? "unknown time" : `${match[1]} ${match[2]} UTC`;
}

/** Bytes as people write them: `412 B`, `1.4 KiB`. */
export function formatSize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** A cost that is not known is never 0. */
export function formatCost(usd: number | null): string {
  return usd === null ? "not known" : dollars(usd);
}

export function formatTokens(tokens: { readonly input: number | null; readonly output: number | null }): string {
  if (tokens.input === null && tokens.output === null) return "tokens not known";
  return `${formatCount(tokens.input)} in, ${formatCount(tokens.output)} out`;
}

/** `940`, `18.2k`; `?` for what is not known. */
export function formatCount(tokens: number | null): string {
  if (tokens === null) return "?";
  if (tokens < 1000) return String(tokens);
  return tokens < 1_000_000 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** `broken_before` as `broken before`. */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}

/** The first 12 digits of a digest. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

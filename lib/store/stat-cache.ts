import { lstatSync, type Stats } from "node:fs";
import { settledAfterMs } from "./sweep-units.ts";

/**
 * Caches a value in this process while its files keep device, inode, mode, size, mtime and ctime, or stay missing. Does
 * not cache exceptions. Only saves work: what must withstand forged times reads the files. `most` limits the entries;
 * the oldest goes first.
 */
export function createStatCache<Value>(
  most = Number.POSITIVE_INFINITY,
): (paths: string | readonly string[], compute: () => Value) => Value {
  const known = new Map<string, { readonly stats: readonly Stat[]; readonly value: Value }>();
  return (paths, compute) => {
    const list = typeof paths === "string" ? [paths] : paths;
    const name = list.length === 1 && list[0] !== undefined ? list[0] : list.join("\0");
    const stats = list.map(statOf);
    const hit = known.get(name);
    if (hit?.stats.every((was, index) => isSame(was, stats[index])) === true) return hit.value;
    known.delete(name);
    const value = compute();
    if (!stats.includes("unknown") && stats.every(isSettled)) known.set(name, { stats, value });
    if (known.size > most) forgetOldest(known);
    return value;
  };
}

/** In constant time. */
function forgetOldest(known: Map<string, unknown>): void {
  for (const oldest of known.keys()) {
    known.delete(oldest);
    return;
  }
}

/** An unreadable entry may change unnoticed. */
type Stat = Stats | "missing" | "unknown";

function statOf(path: string): Stat {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? "missing";
  } catch {
    return "unknown";
  }
}

function isSame(was: Stat, now: Stat | undefined): boolean {
  if (typeof was === "string" || typeof now !== "object") return was === now;
  return sameFile(was, now) && was.mtimeMs === now.mtimeMs && was.ctimeMs === now.ctimeMs;
}

function sameFile(was: Stats, now: Stats): boolean {
  return was.dev === now.dev && was.ino === now.ino && was.mode === now.mode && was.size === now.size;
}

function isSettled(stats: Stat): boolean {
  return typeof stats === "string" || Date.now() - stats.ctimeMs > settledAfterMs;
}

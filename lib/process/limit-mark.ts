import { randomInt } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { orElse } from "../text/attempt.ts";
import { type ProcessMark, readMarked } from "./mark.ts";
import { procRoot } from "./proc-table.ts";
import { runHelper } from "./spawn-child.ts";

/**
 * A third mark, for a process that sheds the other two: forked twice, with an empty environment and no descriptor of
 * ours (Node closes inherited ones: libuv's uv_disable_stdio_inheritance). Children inherit resource limits through
 * fork, exec and setsid, and only privileged ones can raise them: getrlimit(2). RLIMIT_RTTIME bounds real-time
 * scheduling; ten thousand years bound nothing, and the exact number names the starter. The runner and its later tools
 * carry the number of the last start: `findSurvivors` leaves both out.
 */
const ceiling = 2n ** 63n;
/** Linux has no higher pid (PID_MAX_LIMIT). */
const pidSpan = 2n ** 22n;
const lowest = 2n ** 50n;
/** From here, milliseconds and pids have room for thirty years. */
const epoch = Date.UTC(2026, 0, 1);

/** For the next child, recorded beside the keepalive. Does nothing without /proc or util-linux's prlimit. */
export function takeLimit(mark: ProcessMark): void {
  const own = readLimit(process.pid, procRoot);
  const limit = own === null ? null : chooseLimit(own, Date.now(), process.pid, randomInt(1, 2 ** 24));
  if (limit === null) return;
  // Before the start: an unrecorded number finds no process after a crash.
  if (runHelper("prlimit", ["--pid", String(process.pid), `--rttime=${limit}:${limit}`]) === null)
    recordLimit(mark, limit);
}

function recordLimit(mark: ProcessMark, limit: bigint): void {
  const descriptor = openSync(mark.keepalivePath, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    writeSync(descriptor, `${limit}\n`);
  } finally {
    closeSync(descriptor);
  }
}

/** Numbers given out under the mark and its children. */
export function readLimits(mark: ProcessMark): ReadonlySet<string> {
  return new Set(readMarked(mark.keepalivePath).flatMap((text) => text.match(/\d+/g) ?? []));
}

export function carriesLimit(pid: number, limits: ReadonlySet<string>, root: string = procRoot): boolean {
  const limit = limits.size === 0 ? null : readLimit(pid, root);
  return limit !== null && limits.has(limit);
}

/**
 * A number unique to this runner and below its own, since it cannot be raised again; null if none is left. Clock and
 * pid distinguish runners; `step` distinguishes those that inherited a number made in the same millisecond or before
 * the clock was set back. @param own the hard limit as the kernel writes it: a number, or `unlimited` @param now
 * milliseconds since 1970 @param step 1 or more
 */
export function chooseLimit(own: string, now: number, pid: number, step: number): bigint | null {
  const byClock = ceiling - (BigInt(Math.max(0, now - epoch)) * pidSpan + BigInt(pid) + 1n);
  const below = /^\d+$/.test(own) ? BigInt(own) - BigInt(step) : byClock;
  const limit = below < byClock ? below : byClock;
  return limit > lowest ? limit : null;
}

/** The hard limit as the kernel writes it: a number or `unlimited`. */
function readLimit(pid: number, root: string): string | null {
  const limits = orElse(() => readFileSync(`${root}/${pid}/limits`, "latin1"), "");
  return /^Max realtime timeout\s+\S+\s+(\S+)/m.exec(limits)?.[1] ?? null;
}

import { randomInt } from "node:crypto";
import { closeSync, constants, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ProcessMark } from "./mark.ts";
import { procRoot } from "./proc-table.ts";
import { runHelper } from "./spawn-child.ts";

/**
 * A third mark, for a process that sheds the other two: forked twice in a moment, with an empty environment and no
 * descriptor of ours (Node closes those it inherits before it starts a program: libuv's uv_disable_stdio_inheritance).
 *
 * Resource limits pass to every child, through fork, exec and setsid, and only a privileged process can raise them
 * again: getrlimit(2). RLIMIT_RTTIME bounds the time under a real-time scheduler, and a number of some ten thousand
 * years bounds nothing; which number it is says who started the process. The runner itself carries the number of its
 * last start, and so do the tools that it starts later: `findSurvivors` leaves both out.
 */
const ceiling = 2n ** 63n;
/** Linux has no process number above it (PID_MAX_LIMIT). */
const pidSpan = 2n ** 22n;
const lowest = 2n ** 50n;
/** Counted from here, milliseconds and pids have room for thirty years. */
const epoch = Date.UTC(2026, 0, 1);

/**
 * Gives this process a number that what it starts next will carry, noted beside the mark's tether. Nothing happens if
 * the system cannot do that (no /proc, no prlimit of util-linux).
 */
export function takeLimit(mark: ProcessMark): void {
  const own = readLimit(process.pid, procRoot);
  const limit = own === null ? null : chooseLimit(own, Date.now(), process.pid, randomInt(1, 2 ** 24));
  if (limit === null) return;
  // Before the start: a number that is not noted finds nobody after a crash.
  if (runHelper("prlimit", ["--pid", String(process.pid), `--rttime=${limit}:${limit}`]) === null)
    recordLimit(mark, limit);
}

function recordLimit(mark: ProcessMark, limit: bigint): void {
  const descriptor = openSync(mark.tetherPath, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    writeSync(descriptor, `${limit}\n`);
  } finally {
    closeSync(descriptor);
  }
}

/** The numbers that were given out under the mark and its children. */
export function readLimits(mark: ProcessMark): ReadonlySet<string> {
  try {
    const folder = dirname(mark.tetherPath);
    const name = basename(mark.tetherPath);
    const tethers = readdirSync(folder).filter((other) => other === name || other.startsWith(`${name}.`));
    return new Set(tethers.flatMap((other) => readFileSync(join(folder, other), "latin1").match(/\d+/g) ?? []));
  } catch {
    // The folder went with its run: then the other two marks have to do.
    return new Set();
  }
}

/** Whether the process was started with one of these numbers. */
export function carriesLimit(pid: number, limits: ReadonlySet<string>, root: string = procRoot): boolean {
  const limit = limits.size === 0 ? null : readLimit(pid, root);
  return limit !== null && limits.has(limit);
}

/**
 * A number that no other runner gives out, and below the runner's own, since it cannot be raised again; null if there
 * is none left. Clock and pid distinguish runners. One that started in the same millisecond, or before the clock was
 * set back, has passed its number on to the runners that it started, and then the step is what distinguishes them.
 *
 * @param own the present hard limit as the kernel writes it: a number, or `unlimited`
 * @param now milliseconds since 1970
 * @param step 1 or more
 */
export function chooseLimit(own: string, now: number, pid: number, step: number): bigint | null {
  const byClock = ceiling - (BigInt(Math.max(0, now - epoch)) * pidSpan + BigInt(pid) + 1n);
  const below = /^\d+$/.test(own) ? BigInt(own) - BigInt(step) : byClock;
  const limit = below < byClock ? below : byClock;
  return limit > lowest ? limit : null;
}

/** The hard limit, as the kernel writes it: a number or `unlimited`; null if it does not tell. */
function readLimit(pid: number, root: string): string | null {
  try {
    return /^Max realtime timeout\s+\S+\s+(\S+)/m.exec(readFileSync(`${root}/${pid}/limits`, "latin1"))?.[1] ?? null;
  } catch {
    return null;
  }
}

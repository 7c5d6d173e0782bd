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
 * years bounds nothing; which number it is says who started the process. The runner takes the number for the moment of
 * the start and a lower one at once afterwards, so that what else it starts does not carry it.
 */
const ceiling = 2n ** 62n;

/**
 * Runs `start` so that what it starts carries a number of its own, noted beside the mark's tether. If the system
 * cannot do that (no /proc, no prlimit of util-linux), it only runs `start`.
 */
export function startLimited<Result>(mark: ProcessMark, start: () => Result): Result {
  const limit = nextLimit();
  if (limit === null || !takeLimit(limit)) return start();
  try {
    // Before the start: a number that is not noted finds nobody after a crash.
    recordLimit(mark, limit);
    return start();
  } finally {
    takeLimit(limit - 1n);
  }
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

/** Lower than every one before it, also than that of a runner around this one; the clock distinguishes runners. */
function nextLimit(): bigint | null {
  const own = readLimit(process.pid, procRoot);
  if (own === null) return null;
  const byClock = ceiling - ((BigInt(Date.now()) << 20n) | BigInt(process.pid & 0xfffff));
  const below = /^\d+$/.test(own) ? BigInt(own) - 1n : byClock;
  const limit = below < byClock ? below : byClock;
  return limit > 2n ** 50n ? limit : null;
}

function takeLimit(limit: bigint): boolean {
  return runHelper("prlimit", ["--pid", String(process.pid), `--rttime=${limit}:${limit}`]) === null;
}

/** The hard limit, as the kernel writes it: a number or `unlimited`; null if it does not tell. */
function readLimit(pid: number, root: string): string | null {
  try {
    return /^Max realtime timeout\s+\S+\s+(\S+)/m.exec(readFileSync(`${root}/${pid}/limits`, "latin1"))?.[1] ?? null;
  } catch {
    return null;
  }
}

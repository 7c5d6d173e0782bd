import { closeSync, openSync, readdirSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { orElse } from "../text/attempt.ts";
import { machineError } from "./no-room.ts";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTime: string;
  /** Dead or dying, but not yet collected by its parent; no thread of it lives. */
  readonly ended: boolean;
  readonly name: string;
}

/** Tests give another folder. */
export const procRoot = "/proc";

export function hasProcTable(root: string = procRoot): boolean {
  return readRow(process.pid, root) !== null;
}

export function readRow(pid: number, root: string = procRoot): ProcessRow | null {
  const line = readStat(`${root}/${pid}/stat`);
  if (line === null) return null;
  const { name, over, rest } = line;
  const [, parent, group, session] = rest;
  const [threads, startTime = ""] = [rest[17], rest[19]];
  const ended = over && (Number(threads) <= 1 || isEveryThreadOver(pid, root));
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startTime, ended, name };
}

/** The first thread may end before the others. */
function isEveryThreadOver(pid: number, root: string): boolean {
  const folder = `${root}/${pid}/task`;
  return readFolder(folder).every((thread) => readStat(`${folder}/${thread}/stat`)?.over ?? true);
}

/** PF_EXITING of the kernel's sched.h: about to become a zombie. */
const exiting = 0x4;

function readStat(
  path: string,
): { readonly name: string; readonly over: boolean; readonly rest: readonly string[] } | null {
  const text = readStart(path);
  if (text === null) return null;
  // The name in parentheses may contain spaces and parentheses: proc(5).
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  if (open < 0 || close < open) return null;
  const rest = text.slice(close + 2).split(" ", 20);
  if (rest.length < 20) return null;
  const over = /^[ZXx]$/.test(rest[0] ?? "") || (Number(rest[6]) & exiting) !== 0;
  return { name: text.slice(open + 1, close), over, rest };
}

export function listPids(root: string = procRoot): number[] {
  return readFolder(root)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** All processes by pid, read with `readRowOnce`. One that starts or ends meanwhile may be missing. */
export function readTable(root: string = procRoot): Map<number, ProcessRow> {
  const table = new Map<number, ProcessRow>();
  for (const pid of listPids(root)) {
    const row = readRowOnce(pid, root);
    if (row !== null) table.set(pid, row);
  }
  return table;
}

const elders = new Map<string, { readonly row: ProcessRow; readonly folder: Stats }>();

/**
 * `readRow` for finding processes that this one started: an older process has neither parent nor session here, which
 * may change. That saves three quarters, since most are older. The kernel gives each /proc folder an inode, and a new
 * one to the next process with its pid. `spares`: false reads each row anew, for a made-up /proc.
 */
export function readRowOnce(pid: number, root: string = procRoot, spares = root === procRoot): ProcessRow | null {
  if (!spares) return readRow(pid, root);
  const path = `${root}/${pid}`;
  // Before the row: a replacement in between is younger.
  const folder = orElse(() => statSync(path, { throwIfNoEntry: false }) ?? null, null);
  const elder = elders.get(path);
  if (elder !== undefined && folder?.ino === elder.folder.ino && folder.ctimeMs === elder.folder.ctimeMs)
    return elder.row;
  elders.delete(path);
  const read = readRow(pid, root);
  if (read === null || !isOlder(read, root)) return read;
  const row = { ...read, parent: 0, session: 0 };
  if (folder !== null) elders.set(path, { row, folder });
  return row;
}

/** By the kernel's clock: then this process cannot have started it. */
export function isOlder(row: ProcessRow, root: string = procRoot): boolean {
  if (knownStart?.root !== root) knownStart = { root, ticks: Number(readRow(process.pid, root)?.startTime ?? 0) };
  return Number(row.startTime) < knownStart.ticks;
}

let knownStart: { root: string; ticks: number } | null = null;

/** This process and its ancestors, which are never signalled. */
export function ownLine(root: string = procRoot): Set<number> {
  const line = new Set<number>([1, process.pid, process.ppid]);
  let row = readRow(process.pid, root);
  while (row !== null && row.parent > 1) {
    line.add(row.parent);
    row = readRow(row.parent, root);
  }
  return line;
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    refuseBlindness(path, error);
    return [];
  }
}

/** A line of `stat` has 52 numbers and a name of at most 64 bytes, proc(5). */
const page = Buffer.allocUnsafeSlow(4096);

/** In three system calls: each look reads hundreds. */
function readStart(path: string): string | null {
  let file = -1;
  try {
    file = openSync(path, "r");
    return page.toString("utf8", 0, readSync(file, page, 0, page.length, 0));
  } catch (error) {
    refuseBlindness(path, error);
    return null;
  } finally {
    if (file >= 0) closeSync(file);
  }
}

export function readProcFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    refuseBlindness(path, error);
    return null;
  }
}

/** Without a free descriptor, an unreadable entry must not count as an ended process. */
function refuseBlindness(path: string, error: unknown): void {
  const full = machineError(`${path} could not be read`, error);
  if (full !== null) throw full;
}

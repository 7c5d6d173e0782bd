import { basename } from "node:path";
import { type ProcessRow, procRoot, readProcFile, readRow } from "./proc-table.ts";

/** A process, distinct from any later one with its pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot (field 22 of /proc/PID/stat); empty without /proc. */
  readonly startTime: string;
  /** Empty without /proc. */
  readonly bootId: string;
  /** For people: the program and, for an interpreter, its script. No arguments: they may contain secrets. */
  readonly command: string;
}

/** Equal only for the same process. */
export function identityKey(identity: { readonly pid: number; readonly startTime: string }): string {
  return `${identity.pid}:${identity.startTime}`;
}

export function identify(row: ProcessRow, root: string = procRoot): ProcessIdentity {
  return { pid: row.pid, startTime: row.startTime, bootId: bootId(root), command: renderProcess(row, root) };
}

/** Of a process just started; without /proc its pid alone. */
export function identifyPid(pid: number, command: string, root: string = procRoot): ProcessIdentity {
  const row = readRow(pid, root);
  if (row === null) return { pid, startTime: "", bootId: "", command: basename(command) };
  return { pid, startTime: row.startTime, bootId: bootId(root), command: basename(command) };
}

let knownBoot: { root: string; id: string } | null = null;

/** Changes at each boot; empty if unknown. */
export function bootId(root: string = procRoot): string {
  if (knownBoot?.root !== root)
    knownBoot = { root, id: (readProcFile(`${root}/sys/kernel/random/boot_id`) ?? "").trim() };
  return knownBoot.id;
}

function renderProcess(row: ProcessRow, root: string): string {
  const words = (readProcFile(`${root}/${row.pid}/cmdline`) ?? "").split("\0");
  const [program = "", script = ""] = words;
  const named = /^[\w./@-]{1,200}\.[a-z]{1,4}$/i.test(script) ? ` ${basename(script)}` : "";
  // Since version 24 Node names its first thread, and the kernel shows that as the process's name.
  const own = /^(node-)?MainThread$/.test(row.name) && /(^|\/)node$/.test(program) ? "node" : row.name;
  return `${own}${named}`.slice(0, 120);
}

/** Whether any process has the pid; it may be a new one. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

import { basename } from "node:path";
import { type ProcessRow, procRoot, readRow, readText } from "./proc-table.ts";

/** One process, distinguished from any later one that gets the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot (field 22 of /proc/PID/stat); empty if the system has no /proc. */
  readonly startTime: string;
  /** Empty if the system has no /proc. */
  readonly bootId: string;
  /**
   * For people: the name of the program and, for an interpreter, of its script. No arguments: they may hold secrets.
   */
  readonly command: string;
}

/** A word that two identities share only if they are the same process. */
export function identityKey(identity: { readonly pid: number; readonly startTime: string }): string {
  return `${identity.pid}:${identity.startTime}`;
}

export function identify(row: ProcessRow, root: string = procRoot): ProcessIdentity {
  return { pid: row.pid, startTime: row.startTime, bootId: bootId(root), command: describe(row, root) };
}

/** The identity of a process that was just started; without /proc its number alone. */
export function identifyPid(pid: number, command: string, root: string = procRoot): ProcessIdentity {
  const row = readRow(pid, root);
  if (row === null) return { pid, startTime: "", bootId: "", command: basename(command) };
  return { pid, startTime: row.startTime, bootId: bootId(root), command: basename(command) };
}

let knownBoot: { root: string; id: string } | null = null;

/** Changes with every start of the machine; empty if the kernel does not tell. */
export function bootId(root: string = procRoot): string {
  if (knownBoot?.root !== root) knownBoot = { root, id: (readText(`${root}/sys/kernel/random/boot_id`) ?? "").trim() };
  return knownBoot.id;
}

function describe(row: ProcessRow, root: string): string {
  const words = (readText(`${root}/${row.pid}/cmdline`) ?? "").split("\0");
  const [program = "", script = ""] = words;
  const named = /^[\w./@-]{1,200}\.[a-z]{1,4}$/i.test(script) ? ` ${basename(script)}` : "";
  // From version 24 on Node gives its first thread a name, which the kernel shows as that of the process.
  const own = /^(node-)?MainThread$/.test(row.name) && /(^|\/)node$/.test(program) ? "node" : row.name;
  return `${own}${named}`.slice(0, 120);
}

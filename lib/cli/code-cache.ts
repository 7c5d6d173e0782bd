import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { stateHome } from "../store/state-home.ts";
import { sha256 } from "../text/sha256.ts";
import type { CommandName } from "./command-table.ts";
import { homeOf } from "./io.ts";

/**
 * Compiled code of the program, as V8 hands it out: kept in `code/` of the state folder, read by later calls, and never
 * truth, since V8 compiles what is not there. It is code that runs, so it is read only from files and folders that
 * belong to this user and that nobody else may write, and no sandbox shows them to an agent.
 */
export interface CodeCache {
  /** Null if there is none, or if it is not to be trusted. */
  read(): KeptCode | null;
  /** Keeps the code in place of what was there; does nothing if that fails. */
  keep(code: KeptCode): void;
}

export interface KeptCode {
  readonly data: Buffer;
  /** The CPU time of the process that handed it out, in milliseconds: a longer one has compiled more of the program. */
  readonly cpuMs: number;
}

/** `digest`: of all that the code depends on beside the command. */
export interface CodeKey {
  readonly command: string;
  readonly digest: string;
}

/** The commands that are called often enough. */
const often: readonly string[] = ["run", "loop", "status", "check", "board", "show"] satisfies CommandName[];
const digestBytes = 64;
const headBytes = digestBytes + 8;
/** Twenty times what the largest command has. */
const mostBytes = 64 * 1024 * 1024;
const staleMs = 7 * 24 * 60 * 60 * 1000;

/** The cache of a command, by the digest of the program; null if its code is not kept. */
export function commandCode(command: string, programDigest: string): CodeCache | null {
  if (!often.includes(command)) return null;
  // V8 itself refuses code of another version or with other flags, but knows a source by no more than its length.
  const digest = `${programDigest}-${process.version}-${process.arch}`;
  return openCodeCache(() => stateHome(process.env, homeOf(process.env)), { command, digest });
}

/**
 * The cache in the state folder that `findHome` names, if there is one; where nothing was run yet, none is made. Nothing
 * is looked for before it is needed, and nothing is thrown.
 */
export function openCodeCache(findHome: () => string, { command, digest }: CodeKey): CodeCache {
  const places = () => {
    const home = findHome();
    const folder = join(home, "code");
    return { home, folder, path: join(folder, `${command}-${digest}`) };
  };
  return {
    read: () =>
      orNull(() => {
        const { home, folder, path } = places();
        return isOurFolder(home) && isOurFolder(folder) ? readCode(path) : null;
      }),
    keep: (code) => {
      orNull(() => {
        const { home, folder, path } = places();
        if (!isOurFolder(home)) return;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        if (!isOurFolder(folder)) return;
        writeCode(path, code);
        removeStale(folder, digest);
      });
    },
  };
}

/** V8 does not notice a byte that is wrong in the middle, and runs it: so the digest of all of it stands at the head. */
function readCode(path: string): KeptCode | null {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isOurs(stats) || stats.size <= headBytes || stats.size > mostBytes) return null;
    const all = readFileSync(descriptor);
    if (all.toString("latin1", 0, digestBytes) !== sha256(all.subarray(digestBytes))) return null;
    return { cpuMs: all.readDoubleLE(digestBytes), data: all.subarray(headBytes) };
  } finally {
    closeSync(descriptor);
  }
}

/** Under another name first, so that no reader sees half of it. It need not survive a power cut. */
function writeCode(path: string, { data, cpuMs }: KeptCode): void {
  const cpu = Buffer.alloc(headBytes - digestBytes);
  cpu.writeDoubleLE(cpuMs);
  const rest = Buffer.concat([cpu, data]);
  const temporary = `${path}.${process.pid}`;
  rmSync(temporary, { force: true });
  try {
    writeFileSync(temporary, Buffer.concat([Buffer.from(sha256(rest), "latin1"), rest]), { flag: "wx", mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Takes away what another version of task-phase or Node left, or a process that was killed while it wrote. */
function removeStale(folder: string, digest: string): void {
  for (const name of readdirSync(folder).filter((one) => !one.endsWith(`-${digest}`))) {
    const path = join(folder, name);
    if (Date.now() - lstatSync(path).mtimeMs > staleMs) rmSync(path, { force: true });
  }
}

function isOurFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && isOurs(stats);
}

/** On a system without users nothing is known to be ours. */
function isOurs({ uid, mode }: Stats): boolean {
  return uid === process.geteuid?.() && (mode & 0o022) === 0;
}

/** Without the cache everything works, only later, so nobody is told why it failed. */
function orNull<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}

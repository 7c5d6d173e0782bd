import {
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
import { dirname, join } from "node:path";
import { withFile } from "../store/with-file.ts";
import { orElse } from "../text/attempt.ts";
import { sha256 } from "../text/sha256.ts";
import type { CommandName } from "./command-table.ts";

/**
 * Compiled code of the program, as V8 provides it: kept in `code/` beside the program for later calls, and only a
 * cache, since V8 compiles what is missing. It is executable code, so only a user who could change the program itself
 * has a cache: that user owns the program's folder, and no other user may write `code/` or its files.
 */
export interface CodeCache {
  /** Null if there is none, or if it cannot be trusted. */
  read(): KeptCode | null;
  keep(code: KeptCode): void;
}

export interface KeptCode {
  readonly data: Buffer;
  /** The CPU time of the process that handed it out, in milliseconds: a longer one has compiled more of the program. */
  readonly cpuMs: number;
}

/** The commands that are called often enough. */
const often: readonly string[] = ["run", "loop", "status", "check", "board", "show", "prove"] satisfies CommandName[];
const digestBytes = 64;
const headBytes = digestBytes + 8;
/** Twenty times what the largest command has. */
const mostBytes = 64 * 1024 * 1024;
const staleMs = 7 * 24 * 60 * 60 * 1000;

/** The cache of a command, by the digest of the program in this folder; null if its code is not kept. */
export function commandCode(programFolder: string, command: string, programDigest: string): CodeCache | null {
  if (!often.includes(command)) return null;
  // V8 itself refuses code of another version or with other flags, but knows a source by no more than its length.
  return openCodeCache(programFolder, { command, digest: `${programDigest}-${process.version}-${process.arch}` });
}

/** The cache beside a program, by a digest of all else that the code depends on. Reads late, and never throws. */
export function openCodeCache(
  programFolder: string,
  { command, digest }: { readonly command: string; readonly digest: string },
): CodeCache {
  const folder = join(programFolder, "code");
  const path = join(folder, `${command}-${digest}`);
  // Everything works without the cache, only slower, so failures are not reported.
  return {
    read: () => orElse(() => (mayHaveCode(programFolder) && isOurFolder(folder) ? readCode(path) : null), null),
    keep: (code) => {
      orElse(() => {
        if (!mayHaveCode(programFolder)) return;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        if (!isOurFolder(folder)) return;
        writeCode(path, code);
        removeStale(folder, digest);
      }, undefined);
    },
  };
}

/**
 * True if the folder is this user's own, and in no git repository but the program's: there a pass guards the program,
 * and must neither find a file that another call has just written nor let an agent's file be run.
 */
function mayHaveCode(programFolder: string): boolean {
  if (lstatSync(programFolder).uid !== process.geteuid?.()) return false;
  const packageRoot = dirname(programFolder);
  for (let above = dirname(packageRoot); ; above = dirname(above)) {
    if (lstatSync(join(above, ".git"), { throwIfNoEntry: false }) !== undefined) return false;
    if (above === dirname(above)) return true;
  }
}

/** V8 does not notice a wrong byte in the middle, and runs it: so a digest of all of it comes first. */
function readCode(path: string): KeptCode | null {
  return withFile(openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK), (descriptor) => {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isOurs(stats) || stats.size <= headBytes || stats.size > mostBytes) return null;
    const all = readFileSync(descriptor);
    if (all.toString("latin1", 0, digestBytes) !== sha256(all.subarray(digestBytes))) return null;
    return { cpuMs: all.readDoubleLE(digestBytes), data: all.subarray(headBytes) };
  });
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

import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskError } from "../text/errors.ts";
import { openKeepalive, type ProcessMark } from "./mark.ts";
import { type Output, openOutput } from "./output.ts";
import { runHelper } from "./spawn-child.ts";

type StdioEntry = number | "pipe" | "ignore";

/**
 * The descriptors of a new process. Node's "pipe" is a socket, which a program cannot reopen by name: `echo oops >
 * /dev/stderr` or `cat /dev/stdin` would fail. So standard input is a file, and outputs are FIFOs that lose their name
 * once both ends are open.
 */
interface Plumbing {
  readonly stdio: [StdioEntry, StdioEntry, StdioEntry, number];
  /** Reading ends of standard output and error; null if Node's "pipe" had to do. */
  readonly outputs: readonly [Output, Output] | null;
  handOver(): void;
  /** For a process that did not start. */
  abandon(): void;
}

/** Files beside the keepalive. `together`: both outputs share a pipe, in order. Throws if the disk or system refuses. */
export function openPlumbing(mark: ProcessMark, stdin: string | null, together: boolean): Plumbing {
  const folder = dirname(mark.keepalivePath);
  const handed: number[] = [];
  const hand = (descriptor: number): number => {
    handed.push(descriptor);
    return descriptor;
  };
  const handOver = (): void => {
    for (const descriptor of handed.splice(0)) closeSync(descriptor);
  };
  try {
    const keepalive = hand(openKeepalive(mark));
    const input = stdin === null ? "ignore" : hand(openInput(folder, stdin));
    const pipes = openPipes(folder, together ? 1 : 2);
    if (pipes === null)
      return { stdio: [input, "pipe", "pipe", keepalive], outputs: null, handOver, abandon: handOver };
    const [out, error = out] = pipes;
    for (const pipe of pipes) hand(pipe.writeEnd);
    const abandon = (): void => {
      handOver();
      for (const pipe of pipes) pipe.reader.destroy();
    };
    return {
      stdio: [input, out.writeEnd, error.writeEnd, keepalive],
      outputs: [out.reader, error.reader],
      handOver,
      abandon,
    };
  } catch (failure) {
    handOver();
    const fix = "free some space, or give this user permission to write there, then run it again";
    throw diskError(
      "TP_DISK",
      `cannot prepare a program: ${(failure as Error).message}`,
      { file: folder, fix },
      failure,
    );
  }
}

/** An unnamed file with the text: it always ends, and may be left unread. */
function openInput(folder: string, text: string): number {
  const path = join(folder, `stdin-${randomBytes(8).toString("hex")}`);
  const descriptor = openSync(path, "wx", 0o600);
  try {
    writeFileSync(descriptor, text);
    return openSync(path, constants.O_RDONLY);
  } finally {
    closeSync(descriptor);
    unlinkSync(path);
  }
}

interface Pipe {
  readonly reader: Output;
  readonly writeEnd: number;
}

/** In advance, since `mkfifo` is a process: enough for a model and the checks of most tasks. */
const madeAtOnce = 8;

/** Unused FIFOs of the last folder, that of one pass. */
let spare: { readonly folder: string; readonly fifos: Fifo[] } = { folder: "", fifos: [] };

interface Fifo {
  readonly path: string;
  /** When made. A freed inode number is soon reused, with other times. */
  readonly made: Stats;
}

/** Null without `mkfifo`, or on a file system without FIFOs. */
export function openPipes(folder: string, count: 1 | 2): readonly [Pipe, ...Pipe[]] | null {
  if (spare.folder !== folder) spare = { folder, fifos: [] };
  const { fifos } = spare;
  const pipes: Pipe[] = [];
  try {
    while (pipes.length < count) {
      if (fifos.length === 0) fifos.push(...makeFifos(folder));
      const fifo = fifos.pop();
      if (fifo === undefined) break;
      const pipe = openPipe(fifo);
      if (pipe !== null) pipes.push(pipe);
    }
  } catch (error) {
    closePipes(pipes);
    throw error;
  }
  const [first, ...more] = pipes;
  if (first !== undefined && pipes.length === count) return [first, ...more];
  closePipes(pipes);
  return null;
}

function closePipes(pipes: readonly Pipe[]): void {
  for (const { reader, writeEnd } of pipes) {
    reader.destroy();
    closeSync(writeEnd);
  }
}

function makeFifos(folder: string): Fifo[] {
  const base = join(folder, `pipe-${randomBytes(8).toString("hex")}`);
  const paths = Array.from({ length: madeAtOnce }, (_, index) => `${base}-${index + 1}`);
  if (runHelper("mkfifo", ["-m", "600", ...paths]) !== null) {
    for (const path of paths) removeQuietly(path);
    return [];
  }
  return paths.map((path) => ({ path, made: lstatSync(path) }));
}

/** Null if something replaced it since. */
function openPipe({ path, made }: Fifo): Pipe | null {
  const opened: number[] = [];
  const open = (flags: number): boolean => {
    const descriptor = openSync(path, flags | constants.O_NOFOLLOW);
    opened.push(descriptor);
    const { dev, ino, ctimeMs } = fstatSync(descriptor);
    return dev === made.dev && ino === made.ino && ctimeMs === made.ctimeMs;
  };
  try {
    // The reader first, non-blocking: the writing end then opens at once.
    if (!open(constants.O_RDONLY | constants.O_NONBLOCK) || !open(constants.O_WRONLY)) return null;
    const [readEnd = -1, writeEnd = -1] = opened.splice(0);
    return { reader: openOutput(readEnd), writeEnd };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ELOOP", "ENXIO", "EACCES", "EISDIR"].includes(code)) return null;
    throw error;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
    removeQuietly(path);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {}
}

import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskError } from "../report/errors.ts";
import { writeWhole } from "./log-file.ts";
import { openTether, type ProcessMark } from "./mark.ts";
import { type Output, openOutput } from "./output.ts";
import { runHelper } from "./spawn-child.ts";

type StdioEntry = number | "pipe" | "ignore";

/**
 * The descriptors that a process is started with.
 *
 * Node's own "pipe" is a socket, and a program cannot open a socket again by name: `echo oops > /dev/stderr` in a shell
 * script, or `cat /dev/stdin`, fails under it and works by hand. So standard input is a file and the outputs are real
 * pipes: FIFOs that lose their name as soon as both ends are open.
 */
export interface Plumbing {
  readonly stdio: [StdioEntry, StdioEntry, StdioEntry, number];
  /** The reading ends of standard output and standard error; null if Node's own "pipe" had to do. */
  readonly outputs: readonly [Output, Output] | null;
  /** Closes this process's copies of what the process got. */
  handOver(): void;
  /** For a process that did not start. */
  abandon(): void;
}

/**
 * Files are made beside the tether. With `together`, both outputs are one pipe: lines are in the order they came.
 * Throws if the disk or the system refuses.
 */
export function openPlumbing(mark: ProcessMark, stdin: string | null, together: boolean): Plumbing {
  const folder = dirname(mark.tetherPath);
  const handed: number[] = [];
  const hand = (descriptor: number): number => {
    handed.push(descriptor);
    return descriptor;
  };
  const handOver = (): void => {
    for (const descriptor of handed.splice(0)) closeSync(descriptor);
  };
  try {
    const tether = hand(openTether(mark));
    const input = stdin === null ? "ignore" : hand(openInput(folder, stdin));
    const pipes = openPipes(folder, together ? 1 : 2);
    if (pipes === null) return { stdio: [input, "pipe", "pipe", tether], outputs: null, handOver, abandon: handOver };
    const [out, error = out] = pipes;
    for (const pipe of pipes) hand(pipe.writeEnd);
    const abandon = (): void => {
      handOver();
      for (const pipe of pipes) pipe.reader.destroy();
    };
    return {
      stdio: [input, out.writeEnd, error.writeEnd, tether],
      outputs: [out.reader, error.reader],
      handOver,
      abandon,
    };
  } catch (failure) {
    handOver();
    const message = `A process could not be prepared: ${(failure as Error).message}. Check the folder's permissions and free space.`;
    throw diskError("TP_DISK", message, { file: folder }, failure);
  }
}

/** A file without a name that contains the text: it always ends, and a process that does not read it harms nobody. */
function openInput(folder: string, text: string): number {
  const path = join(folder, `stdin-${randomBytes(8).toString("hex")}`);
  const descriptor = openSync(path, "wx", 0o600);
  try {
    writeWhole(descriptor, Buffer.from(text, "utf8"));
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

/** Made ahead, since `mkfifo` is a process of its own: enough for a model and the checks of most tasks. */
const madeAtOnce = 8;

/** FIFOs that nothing has opened yet, of the folder that was last asked for: that of one pass. */
let spare: { readonly folder: string; readonly fifos: Fifo[] } = { folder: "", fifos: [] };

interface Fifo {
  readonly path: string;
  /** As it was made. The number of a file that was removed is soon given to another one, whose times differ. */
  readonly made: Stats;
}

/** Null if FIFOs cannot be made: no `mkfifo`, or a file system without them. */
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

/** None if they cannot be made. */
function makeFifos(folder: string): Fifo[] {
  const base = join(folder, `pipe-${randomBytes(8).toString("hex")}`);
  const paths = Array.from({ length: madeAtOnce }, (_, index) => `${base}-${index + 1}`);
  if (runHelper("mkfifo", ["-m", "600", ...paths]) !== null) {
    for (const path of paths) removeQuietly(path);
    return [];
  }
  return paths.map((path) => ({ path, made: lstatSync(path) }));
}

/** Null if its name leads to something else by now: a program that ran since it was made could have put that there. */
function openPipe({ path, made }: Fifo): Pipe | null {
  const opened: number[] = [];
  const open = (flags: number): boolean => {
    const descriptor = openSync(path, flags | constants.O_NOFOLLOW);
    opened.push(descriptor);
    const { dev, ino, ctimeMs } = fstatSync(descriptor);
    return dev === made.dev && ino === made.ino && ctimeMs === made.ctimeMs;
  };
  try {
    // The reader first and without waiting: opening the writing end then returns at once.
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
  } catch {
    // It was never made.
  }
}

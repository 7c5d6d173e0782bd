import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { procRoot } from "./proc-table.ts";

/**
 * What every process of one run carries, so that it is found again whatever it does: an environment variable, and an
 * open descriptor on the tether file. A program that clears its environment keeps the descriptor; one that closes its
 * descriptors keeps the environment.
 */
export interface ProcessMark {
  readonly id: string;
  /** Absolute, links resolved, as the kernel shows it under /proc/PID/fd. */
  readonly tetherPath: string;
}

const madeHere = new Set<string>();

/** Whether this process made the mark: then no older process can have it. */
export function isOwnMark({ id }: ProcessMark): boolean {
  return madeHere.has(id.split(".", 1)[0] ?? id);
}

/** The environment variable that carries the id. */
export const markVariable = "TASK_PHASE_MARK";

/**
 * Makes a mark that no other run has. The folder must be there and should be private; an error of the disk is thrown.
 */
export function createMark(folder: string): ProcessMark {
  const id = randomBytes(16).toString("hex");
  const mark = { id, tetherPath: join(realpathSync(folder), `tether-${id}`) };
  madeHere.add(id);
  closeSync(openTether(mark));
  return mark;
}

/** A mark for one of several runs at the same time: it is found by itself and by its parent mark. */
export function childMark(mark: ProcessMark, word: string): ProcessMark {
  return { id: `${mark.id}.${word}`, tetherPath: `${mark.tetherPath}.${word}` };
}

/** A descriptor to hand to the process. Its own process loses it at exec (O_CLOEXEC), so only heirs keep it. */
export function openTether(mark: ProcessMark): number {
  return openSync(mark.tetherPath, constants.O_RDONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
}

/** Whether the process carries the mark or a child of it. A process that may not be looked at does not. */
export function carriesMark(pid: number, mark: ProcessMark, root: string = procRoot): boolean {
  return hasVariable(pid, mark, root) || holdsTether(pid, mark, root);
}

function hasVariable(pid: number, mark: ProcessMark, root: string): boolean {
  try {
    // latin1 keeps every byte, whatever the environment's encoding is.
    const environment = `\0${readFileSync(`${root}/${pid}/environ`, "latin1")}\0`;
    const entry = `\0${markVariable}=${mark.id}`;
    return environment.includes(`${entry}\0`) || environment.includes(`${entry}.`);
  } catch {
    return false;
  }
}

function holdsTether(pid: number, mark: ProcessMark, root: string): boolean {
  try {
    const folder = `${root}/${pid}/fd`;
    return readdirSync(folder).some((name) => isTether(join(folder, name), mark.tetherPath));
  } catch {
    return false;
  }
}

function isTether(path: string, tetherPath: string): boolean {
  try {
    const target = readlinkSync(path).replace(/ \(deleted\)$/, "");
    return target === tetherPath || target.startsWith(`${tetherPath}.`);
  } catch {
    return false;
  }
}

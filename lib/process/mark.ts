import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { orElse } from "../text/attempt.ts";
import { procRoot } from "./proc-table.ts";

/** An environment variable and an open descriptor: a program that drops one usually keeps the other. */
export interface ProcessMark {
  readonly id: string;
  /** Absolute, links resolved, as /proc/PID/fd shows it. */
  readonly keepalivePath: string;
}

const madeHere = new Set<string>();

/** Then no older process can carry it. */
export function isOwnMark({ id }: ProcessMark): boolean {
  return madeHere.has(id.split(".", 1)[0] ?? id);
}

export const markVariable = "TASK_PHASE_MARK";

/** A unique mark. The folder must exist and should be private; throws errors of the disk. */
export function createMark(folder: string): ProcessMark {
  const id = randomBytes(16).toString("hex");
  const mark = { id, keepalivePath: join(realpathSync(folder), `keepalive-${id}`) };
  madeHere.add(id);
  closeSync(openKeepalive(mark));
  return mark;
}

/** For one of several concurrent runs: found by itself and by its parent mark. */
export function childMark(mark: ProcessMark, word: string): ProcessMark {
  return { id: `${mark.id}.${word}`, keepalivePath: `${mark.keepalivePath}.${word}` };
}

/** The texts of a file of a mark and of those of its child marks. None if the run's folder is gone: other marks must do. */
export function readMarked(path: string): string[] {
  const name = basename(path);
  return orElse(() => {
    const names = readdirSync(dirname(path)).filter((other) => other === name || other.startsWith(`${name}.`));
    return names.map((other) => readFileSync(join(dirname(path), other), "utf8"));
  }, []);
}

/** A descriptor for a child. O_CLOEXEC keeps it from other children. */
export function openKeepalive(mark: ProcessMark): number {
  return openSync(mark.keepalivePath, constants.O_RDONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
}

/** Includes child marks. False if the process may not be inspected. */
export function carriesMark(pid: number, mark: ProcessMark, root: string = procRoot): boolean {
  return hasVariable(pid, mark, root) || holdsKeepalive(pid, mark, root);
}

function hasVariable(pid: number, mark: ProcessMark, root: string): boolean {
  // latin1 keeps every byte.
  const environment = `\0${orElse(() => readFileSync(`${root}/${pid}/environ`, "latin1"), "")}\0`;
  const entry = `\0${markVariable}=${mark.id}`;
  return environment.includes(`${entry}\0`) || environment.includes(`${entry}.`);
}

function holdsKeepalive(pid: number, mark: ProcessMark, root: string): boolean {
  const folder = `${root}/${pid}/fd`;
  return orElse(() => readdirSync(folder), []).some((name) => isKeepalive(join(folder, name), mark.keepalivePath));
}

function isKeepalive(path: string, keepalivePath: string): boolean {
  const target = orElse(() => readlinkSync(path), "").replace(/ \(deleted\)$/, "");
  return target === keepalivePath || target.startsWith(`${keepalivePath}.`);
}

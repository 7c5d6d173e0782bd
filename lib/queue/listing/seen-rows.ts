import { closeSync, constants, lstatSync, openSync, readSync, type Stats } from "node:fs";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { orElse } from "../../text/attempt.ts";
import { figuresOf, stampedNames } from "./stamp.ts";

/** What tells whether a row still holds. */
export interface RowStamp {
  /** Bit n: the nth of `stampedNames` is there. */
  readonly present: number;
  /** Null: a file changed a moment ago, or is no file. */
  readonly stamp: readonly number[] | null;
}

/** The own files of a task that a row is made from, looked at once. */
export interface SeenFiles {
  readonly place: TaskPlace;
  /** By their place in `stampedNames`; undefined for what is not there. */
  readonly stats: readonly (Stats | undefined)[];
  readonly at: number;
  readonly hasPage: boolean;
  readonly hasGit: boolean;
  /** `artifacts/passes` is a folder, or not there. */
  readonly passesFit: boolean;
}

/** Null if something there cannot be looked at: the parsers say what is wrong with it. */
export function statFiles(place: TaskPlace): SeenFiles | null {
  const { taskDir } = place;
  const at = Date.now();
  const look = (name: string) => lstatSync(name === "" ? taskDir : `${taskDir}/${name}`, { throwIfNoEntry: false });
  return orElse(() => {
    // The folders before what is in them.
    const stats = stampedNames.map((name) => look(name));
    if (stats[0]?.isDirectory() !== true) return null;
    return {
      place,
      stats,
      at,
      hasPage: look("artifacts/evidence.html") !== undefined,
      hasGit: look(".git") !== undefined,
      passesFit: look("artifacts/passes")?.isDirectory() !== false,
    };
  }, null);
}

export function stampOf(seen: SeenFiles | null): RowStamp {
  const unsettled = { present: 0, stamp: null };
  if (seen === null) return unsettled;
  let present = 0;
  const stamp: number[] = [];
  for (const [bit, stats] of seen.stats.entries()) {
    if (stats === undefined) continue;
    const figures = figuresOf(stats, seen.at);
    if (figures === null) return unsettled;
    present |= 1 << bit;
    stamp.push(...figures);
  }
  return { present, stamp };
}

export type StampedName = (typeof stampedNames)[number];

function statsOf(seen: SeenFiles, name: StampedName): Stats | undefined {
  return seen.stats[stampedNames.indexOf(name)];
}

export function isMissing(seen: SeenFiles | null, name: StampedName): boolean {
  return seen !== null && statsOf(seen, name) === undefined;
}

export function hasOwnFolders(seen: SeenFiles | null): boolean {
  return seen?.passesFit === true && statsOf(seen, "artifacts")?.isDirectory() !== false;
}

/** Like `readSmall`; null also if it is not a regular file. */
export function readSeen(seen: SeenFiles | null, name: StampedName): Buffer | null {
  const stats = seen === null ? undefined : statsOf(seen, name);
  return seen === null || stats?.isFile() !== true ? null : readSmall(`${seen.place.taskDir}/${name}`, stats.size);
}

const room = Buffer.allocUnsafe(16 * 1024);

/** The bytes of a regular file of this size, valid until the next call; null if it is another file by now. */
function readSmall(path: string, size: number): Buffer | null {
  if (size >= room.length) return null;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const descriptor = orElse(() => openSync(path, flags), null);
  if (descriptor === null) return null;
  try {
    return readSync(descriptor, room, 0, size + 1, 0) === size ? room.subarray(0, size) : null;
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

import { closeSync, constants, fchmodSync, fstatSync, openSync, type Stats } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { statIfReadable } from "./folder.ts";
import { listReadable } from "./walk.ts";

const setIdBits = 0o6000;
/** Lets timers and signals run in between. */
const foldersInOneGo = 64;

/** By path, what identifies the file in its place. */
type SetIdFiles = ReadonlyMap<string, string>;

/** Follows no link and skips what cannot be read. A file keeps its identity while bytes and rights stay. */
export async function listSetIds(paths: readonly string[]): Promise<SetIdFiles> {
  const found = new Map<string, string>();
  const open = [...paths];
  for (let count = 1; open.length > 0; count++) {
    const path = open.pop() ?? "";
    const stats = statIfReadable(path);
    if (stats?.isDirectory() === true) {
      for (const entry of listReadable(path)) {
        const inside = join(path, entry.name);
        if (entry.isDirectory()) open.push(inside);
        else if (entry.isFile()) addSetId(found, inside, statIfReadable(inside));
      }
    } else addSetId(found, path, stats);
    if (count % foldersInOneGo === 0) await nextTurn();
  }
  return found;
}

/** Clears the bits of new files and names them in order; `left` could not be changed. */
export function clearSetIds(before: SetIdFiles, after: SetIdFiles): { cleared: string[]; left: string[] } {
  const fresh = [...after].flatMap(([path, identity]) => (before.get(path) === identity ? [] : [path])).sort();
  const left = fresh.filter((path) => !clear(path));
  return { cleared: fresh.filter((path) => !left.includes(path)), left };
}

function addSetId(found: Map<string, string>, path: string, stats: Stats | null): void {
  if (stats?.isFile() === true && (stats.mode & setIdBits) !== 0) found.set(path, identify(stats));
}

function identify({ dev, ino, mode, size, ctimeMs }: Stats): string {
  return [dev, ino, mode, size, ctimeMs].join(" ");
}

function clear(path: string): boolean {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (stats.isFile()) fchmodSync(descriptor, stats.mode & 0o1777);
    return true;
  } catch {
    return false;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

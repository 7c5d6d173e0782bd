import { lstatSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { storeError } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";

/** So long a file system may show the same time: two seconds, where it keeps no parts of one. */
const longestTickMs = 5_000;

/** The times of a folder change with every name in it; what is in it is compared by itself. */
export function stampOf(stats: Stats): string {
  const { dev, ino, mode, uid, gid, size, mtimeMs, ctimeMs } = stats;
  const times = stats.isDirectory() ? [] : [size, mtimeMs, ctimeMs];
  // Joined, and not a template, which would keep each of its parts.
  return [dev, ino, mode, uid, gid, ...times].join(" ");
}

export function folderStamp(path: string): string {
  const stats = statEntry(path);
  return stats?.isDirectory() === true ? stampOf(stats) : "";
}

/**
 * Waits until the clock of the file system shows another time than that of the newest file: a change within the same
 * tick would look like none. False if it does not.
 */
export async function hasTicked(folder: string, newest: number): Promise<boolean> {
  const clock = join(folder, "clock");
  for (const until = performance.now() + longestTickMs; performance.now() < until; await sleep(2)) {
    try {
      rmSync(clock, { force: true, recursive: true });
      writeFileSync(clock, "", { flag: "wx", mode: 0o600 });
      if (lstatSync(clock).ctimeMs > newest) return true;
    } catch (error) {
      throw storeError("write", clock, error);
    }
  }
  return false;
}

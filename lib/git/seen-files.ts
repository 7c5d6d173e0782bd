import { lstatSync, type Stats, statfsSync } from "node:fs";
import { settledAfterMs } from "../store/sweep-units.ts";

/** What was read of the files of a repo, by their path in it, with the stats that they had just before. */
export interface SeenFiles {
  /** What was read; undefined if the file is not the one that was read, as far as its stats tell. */
  recall(key: string, stats: Stats): string | undefined;
  /** `stats` are from before it was read. */
  note(key: string, entry: string, stats: Stats): void;
}

/** Where each change of a file sets its ctime, by a clock that ticks at least ten times in `settledAfterMs`. */
const preciseFileSystems: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0xca451a4e, // bcachefs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

const perFile = 6;

/**
 * Knows nothing yet. A file is known again by device, inode, mode, size and both times, of which nobody but the kernel
 * sets the second: only on the file system of `root`, a real path, and only if that is one of those above.
 */
export function createSeenFiles(root: string): SeenFiles {
  const device = preciseDevice(root);
  const rows = new Map<string, number>();
  const entries: string[] = [];
  let figures = new Float64Array(perFile * 1024);

  function recall(key: string, stats: Stats): string | undefined {
    const row = rows.get(key);
    if (row === undefined) return undefined;
    const at = row * perFile;
    const isSame =
      figures[at] === stats.ino &&
      figures[at + 1] === stats.ctimeMs &&
      figures[at + 2] === stats.mtimeMs &&
      figures[at + 3] === stats.size &&
      figures[at + 4] === stats.mode &&
      figures[at + 5] === stats.dev;
    return isSame ? entries[row] : undefined;
  }

  function note(key: string, entry: string, stats: Stats): void {
    const { ino, ctimeMs, mtimeMs, size, mode, dev } = stats;
    // Right after a change the next one may leave the same times.
    const isSure = dev === device && Date.now() - ctimeMs > settledAfterMs;
    const row = rows.get(key) ?? (isSure ? rows.size : null);
    if (row === null) return;
    rows.set(key, row);
    entries[row] = entry;
    const at = row * perFile;
    if (at === figures.length) figures = grow(figures);
    figures.set([isSure ? ino : Number.NaN, ctimeMs, mtimeMs, size, mode, dev], at);
  }

  return { recall, note };
}

/** Null if no file there can be known again. */
function preciseDevice(root: string): number | null {
  try {
    return process.platform === "linux" && preciseFileSystems.has(statfsSync(root).type) ? lstatSync(root).dev : null;
  } catch {
    return null;
  }
}

function grow(full: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(full.length * 2);
  larger.set(full);
  return larger;
}

import { lstatSync, type Stats, statfsSync } from "node:fs";
import { settledAfterMs } from "../store/sweep-units.ts";

/** What was read of the files of a repo, by their path in it, with the stats that they had just before. */
export interface SeenFiles {
  /** What was read; undefined if the file is not the one that was read, as far as its stats tell. */
  recall(key: string, stats: Stats): string | undefined;
  /** `stats` are from before it was read. */
  note(key: string, entry: string, stats: Stats): void;
  /** All that is known, and of how many files that is news since the beginning, or since it was kept. */
  list(): { readonly rows: SeenRows; readonly news: number };
  noteKept(): void;
}

/** Of each file its path and what was read; one behind the other, in the same order, its six figures. */
export interface SeenRows {
  readonly files: readonly (readonly [key: string, entry: string])[];
  readonly figures: Float64Array;
}

/** Where each change of a file sets its ctime, by a clock that ticks at least ten times in `settledAfterMs`. */
const preciseFileSystems: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0xca451a4e, // bcachefs
  0x794c7630, // overlayfs
]);

export const figuresPerFile = 6;
const perFile = figuresPerFile;

/**
 * Knows `begin`, or nothing yet. A file is known again by device, inode, mode, size and both times, of which nobody but the kernel
 * sets the second: only on the file system of `root`, a real path, and only if that is one of those above.
 */
export function createSeenFiles(root: string, begin: SeenRows = noRows): SeenFiles {
  const device = preciseDevice(root);
  const rows = new Map(begin.files.map(([key], row) => [key, row]));
  const entries = begin.files.map(([, entry]) => entry);
  let figures = new Float64Array(Math.max(begin.figures.length, perFile * 64));
  figures.set(begin.figures);
  let news = 0;

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
    if (row < rows.size && entries[row] === entry && recall(key, stats) !== undefined) return;
    news += 1;
    rows.set(key, row);
    entries[row] = entry;
    const at = row * perFile;
    if (at === figures.length) figures = grow(figures);
    figures.set([isSure ? ino : Number.NaN, ctimeMs, mtimeMs, size, mode, dev], at);
  }

  function list() {
    const files = [...rows].map(([key, row]) => [key, entries[row] ?? ""] as const);
    return { rows: { files, figures: figures.subarray(0, rows.size * perFile) }, news };
  }

  function noteKept(): void {
    news = 0;
  }

  return { recall, note, list, noteKept };
}

const noRows: SeenRows = { files: [], figures: new Float64Array() };

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

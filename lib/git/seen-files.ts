import { lstatSync, type Stats, statfsSync } from "node:fs";
import { grow, settledAfterMs } from "../store/sweep-units.ts";
import { orElse } from "../text/attempt.ts";

/** File contents by path, each valid for the stats taken before reading. */
export interface SeenFiles {
  /** Undefined if the stats differ. */
  recall(key: string, stats: Stats): string | undefined;
  record(key: string, entry: string, stats: Stats): void;
  /** `news`: entries added since the last save. */
  list(): { readonly rows: SeenRows; readonly news: number };
  markSaved(): void;
}

/** Paths and entries, and six figures a file in the same order. */
export interface SeenRows {
  readonly files: readonly (readonly [key: string, entry: string])[];
  readonly figures: Float64Array;
}

/** File systems that stamp each change with a ctime from a clock that ticks at least ten times in `settledAfterMs`. */
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
 * Recognises a file by device, inode, mode, size, mtime and ctime, which only the kernel sets: only on the file system
 * of `root`, a real path, and only if it is one of those above.
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

  function record(key: string, entry: string, stats: Stats): void {
    const { ino, ctimeMs, mtimeMs, size, mode, dev } = stats;
    // Right after a change, the next one may leave the same times.
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

  return {
    recall,
    record,
    list,
    markSaved() {
      news = 0;
    },
  };
}

const noRows: SeenRows = { files: [], figures: new Float64Array() };

function preciseDevice(root: string): number | null {
  const isPrecise = () => process.platform === "linux" && preciseFileSystems.has(statfsSync(root).type);
  return orElse(() => (isPrecise() ? lstatSync(root).dev : null), null);
}

/** The limits of one clean copy. A larger repo is not judged in a copy, and the reason is named. */
export interface CopyBounds {
  readonly files: number;
  readonly bytes: number;
  /** Wall time of making the copy, in milliseconds: one of the named timeouts. */
  readonly ms: number;
}

/** Bounds of the repo's own files: the largest public repositories have about 100,000. */
export const contentBounds: CopyBounds = { files: 200_000, bytes: 1024 ** 3, ms: 120_000 };
/** Bounds of the carried dependency folders: node_modules of a large workspace. */
export const carryBounds: CopyBounds = { files: 400_000, bytes: 4 * 1024 ** 3, ms: 120_000 };

/** Counts what is copied. */
export function startMeter(what: string, bounds: CopyBounds, now: () => number) {
  const startedAt = now();
  let files = 0;
  let total = 0;
  return {
    /** Counts one more file; gives the reason if that is too much, else null. */
    add(bytes: number): string | null {
      files += 1;
      total += bytes;
      if (files > bounds.files) return `${what} has more than ${bounds.files.toLocaleString("en")} files`;
      if (total > bounds.bytes) return `${what} has more than ${bounds.bytes / 2 ** 20} MiB`;
      if (now() - startedAt > bounds.ms) return `${what} could not be copied within ${bounds.ms / 1000} s`;
      return null;
    },
  };
}

import { join } from "node:path";
import { readEntry } from "../../git/content-entries.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { type Origin, readOriginText } from "../../task/origin.ts";
import { sha256 } from "../../text/sha256.ts";
import { isForeign } from "../watch/test-paths.ts";
import type { ChangedFile } from "../wrong/changed-lines.ts";

/** Larger files are not read as texts. */
export const mostBytes = 1024 * 1024;

export interface ChangedCode {
  readonly repo: string;
  /** What git wrote, under its sha256: it is read where the repo has other bytes, such as line endings. */
  readonly blobs: string;
  readonly origin: Origin;
  /** The present code. */
  readonly fingerprint: { readonly hash: string; readonly entries: ReadonlyMap<string, string> };
}

/** The files that differ from pass 1, as texts; what is no text, or too large, is left out. */
export function changedFiles(
  { repo, blobs, origin, fingerprint }: ChangedCode,
  isWanted: (path: string) => boolean,
): ChangedFile[] {
  return [...fingerprint.entries]
    .filter(([path, entry]) => entry !== origin.entries.get(path) && isWanted(path) && !isForeign(path))
    .flatMap(([path, entry]): ChangedFile[] => {
      const wanted = readEntry(entry);
      if (wanted?.kind !== "file" || path.startsWith("//")) return [];
      const readWanted = (file: string): Buffer | null => {
        const read = readRegularFile(file, mostBytes);
        return read.kind === "file" && sha256(read.bytes) === wanted.digest ? read.bytes : null;
      };
      const bytes = readWanted(join(repo, path)) ?? readWanted(join(blobs, wanted.digest));
      if (bytes === null || bytes.includes(0)) return [];
      return [{ path, text: bytes.toString("utf8"), before: readOriginText(origin, path) }];
    });
}

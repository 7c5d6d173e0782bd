import { basename, join } from "node:path";
import { readEntry } from "../../git/content-entries.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { type Origin, readOriginText } from "../../task/origin.ts";
import { addTo } from "../../text/add-to.ts";
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

/**
 * The files that differ from pass 1, as texts; what is no text, or too large, is left out. A file that moved is compared with
 * what it was at its old path. To be read before the checks run: later a person may have written in the repo.
 */
export function changedFiles({ origin, fingerprint, ...code }: ChangedCode): ChangedFile[] {
  const oldPath = findMoves(origin, fingerprint.entries);
  return [...fingerprint.entries]
    .filter(([path, entry]) => entry !== origin.entries.get(path) && !isForeign(path))
    .flatMap(([path, entry]): ChangedFile[] => {
      const text = readPresent(code, path, entry);
      const digest = readEntry(entry)?.digest ?? "";
      return text === null ? [] : [{ path, text, before: readOriginText(origin, oldPath(path, digest)) }];
    });
}

/** The files of a work that only brings new ones, without those in `apart` and empty ones; none if it changed or removed one. */
export function onlyNewFiles(
  { origin, fingerprint }: Pick<ChangedCode, "origin" | "fingerprint">,
  apart: readonly string[],
) {
  const own = (path: string) => !isForeign(path) && !apart.includes(path);
  const changed = [...new Set([...origin.entries.keys(), ...fingerprint.entries.keys()])]
    .filter((path) => origin.entries.get(path) !== fingerprint.entries.get(path))
    .filter(own);
  if (changed.some((path) => origin.entries.has(path))) return [];
  return changed.filter((path) => {
    const entry = readEntry(fingerprint.entries.get(path) ?? "");
    return entry?.kind === "file" && entry.digest !== sha256("");
  });
}

/** A file of the present code; null if it is no text, too large, or written since. */
export function readPresent(
  { repo, blobs }: Pick<ChangedCode, "repo" | "blobs">,
  path: string,
  entry: string,
): string | null {
  const wanted = readEntry(entry);
  if (wanted?.kind !== "file" || path.startsWith("//")) return null;
  for (const file of [join(repo, path), join(blobs, wanted.digest)]) {
    const read = readRegularFile(file, mostBytes);
    if (read.kind === "file" && sha256(read.bytes) === wanted.digest)
      return read.bytes.includes(0) ? null : read.bytes.toString("utf8");
  }
  return null;
}

/** Gives where a file was at pass 1: of those that are gone one with its bytes, or the only one of its name; else its path. */
function findMoves({ entries }: Origin, now: ReadonlyMap<string, string>): (path: string, digest: string) => string {
  const byDigest = new Map<string, string>();
  const byName = new Map<string, string[]>();
  for (const [path, entry] of entries) {
    if (now.has(path)) continue;
    byDigest.set(readEntry(entry)?.digest ?? "", path);
    addTo(byName, basename(path), path);
  }
  return (path, digest) => {
    if (entries.has(path)) return path;
    const [named, ...others] = byName.get(basename(path)) ?? [];
    return byDigest.get(digest) ?? (others.length === 0 ? named : undefined) ?? path;
  };
}

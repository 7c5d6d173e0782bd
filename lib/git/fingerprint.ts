import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorCode, storeError } from "../store/error-code.ts";
import { hashFile } from "../store/hash-file.ts";
import { joinBytes, pathKey } from "../store/path-key.ts";
import { sha256 } from "../text/sha256.ts";
import { listRepoPaths } from "./list-paths.ts";

export interface Fingerprint {
  /** 64 hex digits: equal if the entries are equal. */
  readonly hash: string;
  /** Path, relative to the repo (see `pathKey`), to `type mode digest`. */
  readonly entries: ReadonlyMap<string, string>;
}

export interface FingerprintChange {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
}

/** So that a timer or a signal can come in between while many files are read. */
const filesInOneGo = 64;

/**
 * What the repo holds now, as read from disk: tracked paths and untracked ones that are not ignored, with their
 * type, executable bit, content or link text, and the ignore rules that no listed file holds. What git remembers
 * about files (its index, its stat cache, assume-unchanged, skip-worktree) plays no part, so adding and committing
 * change nothing. `exclude` names absolute folders to leave out. Throws TP_GIT, and TP_DISK if the disk fails.
 */
export async function takeFingerprint(
  repo: string,
  exclude: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Fingerprint> {
  const root = Buffer.from(realpathSync(repo));
  const excluded = exclude.flatMap((folder) => [resolve(folder), realOf(folder)]).map((folder) => Buffer.from(folder));
  const listing = await listRepoPaths(repo, env);
  const entries = new Map<string, string>();
  let count = 0;
  for (const path of listing.paths) {
    const absolute = joinBytes(root, path);
    if (excluded.some((folder) => standsIn(absolute, folder))) continue;
    const entry = describe(absolute);
    if (entry !== null) entries.set(pathKey(path), entry);
    count += 1;
    if (count % filesInOneGo === 0) await nextTurn();
  }
  for (const [name, digest] of listing.rules) entries.set(name, digest);
  return fromEntries(entries);
}

/** The paths that differ, in order. */
export function diffFingerprints(before: Fingerprint, after: Fingerprint): FingerprintChange[] {
  const changes: FingerprintChange[] = [];
  for (const path of new Set([...before.entries.keys(), ...after.entries.keys()])) {
    const [was, now] = [before.entries.get(path), after.entries.get(path)];
    if (was === now) continue;
    changes.push({ path, change: was === undefined ? "added" : now === undefined ? "removed" : "changed" });
  }
  return changes.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** How many paths differ between two texts of serialized entries, each given as its lines; no path is read twice. */
export function countDifferences(before: ReadonlySet<string>, after: ReadonlySet<string>): number {
  const only = (left: ReadonlySet<string>, right: ReadonlySet<string>) => [...left].filter((line) => !right.has(line));
  return new Set([...only(before, after), ...only(after, before)].map(pathOfLine)).size;
}

function pathOfLine(line: string): unknown {
  const entry: unknown = JSON.parse(line);
  return Array.isArray(entry) ? entry[0] : line;
}

/** One line an entry, sorted: what the hash is taken of, and what `parseEntries` reads. */
export function serializeEntries(entries: ReadonlyMap<string, string>): string {
  return [...entries]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join("");
}

/** The fingerprint of serialized entries, or null if the text is none. */
export function parseEntries(text: string): Fingerprint | null {
  const entries = new Map<string, string>();
  try {
    for (const line of text.split("\n").slice(0, -1)) {
      const entry: unknown = JSON.parse(line);
      if (!Array.isArray(entry) || entry.length !== 2) return null;
      const [path, value]: readonly unknown[] = entry;
      if (typeof path !== "string" || typeof value !== "string") return null;
      entries.set(path, value);
    }
  } catch {
    return null;
  }
  return serializeEntries(entries) === text ? fromEntries(entries) : null;
}

function fromEntries(entries: ReadonlyMap<string, string>): Fingerprint {
  return { hash: sha256(serializeEntries(entries)), entries };
}

/** Null if nothing is there any more. Of the mode only the executable bit counts, as with git. */
function describe(path: Buffer): string | null {
  const hashed = hashFile(path);
  switch (hashed.kind) {
    case "file":
      return `file ${(hashed.stats.mode & 0o100) === 0 ? "644" : "755"} ${hashed.sha256}`;
    case "missing":
      return null;
    case "link":
      return describeLink(path);
    case "special":
      return `special ${kindOf(path)} -`;
    case "folder":
      return "folder - -";
    case "unreadable":
      return describeUnreadable(path, hashed.code);
  }
}

function describeLink(path: Buffer): string | null {
  try {
    return `link - ${sha256(readlinkSync(path, { encoding: "buffer" }))}`;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw storeError("read the link", pathKey(path), error);
  }
}

/** No permission is a fact about the file; anything else means that the disk could not be read. */
function describeUnreadable(path: Buffer, code: string): string {
  if (code === "EACCES" || code === "EPERM") return `unreadable ${kindOf(path)} -`;
  throw storeError("read", pathKey(path), Object.assign(new Error(code), { code }));
}

function kindOf(path: Buffer): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "gone";
  return ((stats.mode & 0o170000) >> 12).toString(8);
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function standsIn(path: Buffer, folder: Buffer): boolean {
  if (!path.subarray(0, folder.length).equals(folder)) return false;
  return path.length === folder.length || path[folder.length] === 0x2f;
}

import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { createStatCache } from "../../store/cache-file.ts";
import { lookOr, passMachineFault } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { type HashedFile, hashFile } from "../../store/hash-file.ts";
import { bytesIn, joinBytes, pathBytes } from "../../store/path-key.ts";
import { sha256 } from "../../text/sha256.ts";

/** The digest of a missing entry. */
export const gone = "gone";

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Relative to the repo, with `/`; null for what is outside of it, and for the repo itself. */
export function insideRepo(repo: string, path: string): string | null {
  const found = relative(repo, path);
  return found === "" || found === ".." || found.startsWith("../") || isAbsolute(found) ? null : found;
}

/** Whether a name of something watched is not a repo path. */
export function isOutside(name: string): boolean {
  return isAbsolute(name) || name.startsWith("../");
}

/**
 * What is at a repo path, in the form of a fingerprint's entry; null if nothing does, or if a folder above it
 * is a link. Throws TP_DISK if the machine fails, and nothing else.
 */
export function readEntry(repo: string, path: string): string | null {
  try {
    if (!underFolders(repo, path)) return null;
    const absolute = bytesIn(repo, path);
    const hashed = hashFile(absolute);
    if (hashed.kind === "file") return `file ${(hashed.stats.mode & 0o100) === 0 ? "644" : "755"} ${hashed.sha256}`;
    if (hashed.kind === "missing") return null;
    if (hashed.kind === "link") return `link - ${sha256(readlinkSync(absolute, { encoding: "buffer" }))}`;
    return hashed.kind === "unreadable" ? `unreadable ${hashed.code} -` : `${hashed.kind} - -`;
  } catch (error) {
    passMachineFault(error);
    return "unreadable - -";
  }
}

function underFolders(repo: string, path: string): boolean {
  const parts = pathBytes(path).toString("latin1").split("/").slice(0, -1);
  return parts.every((_part, index) => {
    const folder = Buffer.from(parts.slice(0, index + 1).join("/"), "latin1");
    return statEntry(joinBytes(Buffer.from(repo), folder))?.isDirectory() === true;
  });
}

/** Of programs outside the repo, as long as inode, size and times stay what they were. */
const hashOnce = createStatCache<HashedFile>();

/** The entry at a path, links followed. */
export interface LookedAt {
  readonly digest: string;
  /** Bytes of the regular file in the end; null if it is not one. */
  readonly size: number | null;
  /** It is a regular file in the end, and may be executed. */
  readonly runs: boolean;
}

export const nothing: LookedAt = { digest: gone, size: null, runs: false };

/**
 * A program or a file that a check runs. The digest is that of its bytes, wherever it is and whatever its mode, so that
 * another machine judges the same. What is not a regular file in the end is never opened.
 */
export function readThrough(path: string, name: string): LookedAt {
  const ends = (digest: string): LookedAt => ({ ...nothing, digest });
  try {
    if (statEntry(path) === null) return nothing;
    let at = path;
    // As many links as Linux follows.
    for (let count = 0; count < 40 && lstatSync(at).isSymbolicLink(); count += 1) {
      const text = readlinkSync(at);
      at = resolve(dirname(at), text);
      if (statEntry(at) === null) return ends(sha256(`link ${text}`));
    }
    const real = realpathSync(at);
    // Node itself has 100 MB, and no pass needs to read it more than once.
    const hashed = isAbsolute(name) ? hashOnce(real, () => hashFile(real)) : hashFile(real);
    if (hashed.kind !== "file") return ends(sha256(hashed.kind));
    return { digest: hashed.sha256, size: hashed.size, runs: (hashed.stats.mode & 0o111) !== 0 };
  } catch (error) {
    passMachineFault(error);
    return ends(sha256(`unreadable ${String((error as { code?: unknown }).code)}`));
  }
}

/** Digest in an entry of a fingerprint: the content of a file, whatever its mode. */
export function digestEntry(entry: string): string {
  return /^file \d+ (.+)$/.exec(entry)?.[1] ?? sha256(entry);
}

/** The repo path of a file or link that a word names, seen from a folder of the repo; null if it names none. */
export function namedFile(repo: string, folder: string, word: string): string | null {
  return named(repo, folder, word, (stats) => stats.isFile() || stats.isSymbolicLink());
}

/** Like `namedFile` for a folder other than the repo's own. */
export function namedFolder(repo: string, folder: string, word: string): string | null {
  return named(repo, folder, word, (stats) => stats.isDirectory());
}

function named(repo: string, folder: string, word: string, is: (stats: Stats) => boolean): string | null {
  if (word === "" || word.length > 1024 || word.includes("\0")) return null;
  const path = insideRepo(repo, resolve(join(repo, folder), word));
  if (path === null) return null;
  return lookOr(() => {
    const stats = statEntry(join(repo, path));
    return stats !== null && is(stats) ? path : null;
  }, null);
}

/** The repo folder that a word names, seen from another one; null for what is outside of the repo. */
export function folderFrom(repo: string, from: string, word: string): string | null {
  const path = join(repo, from, word);
  return path === repo || `${repo}/` === path ? "" : insideRepo(repo, path);
}

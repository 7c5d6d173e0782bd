import { realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { passMachineFault } from "../store/error-code.ts";
import { readRegularFile } from "../store/read-file.ts";

export interface GitPlace {
  /** The working tree's top, resolved. */
  readonly top: string;
  readonly gitDir: string;
  /** Where `info/exclude` is; differs from `gitDir` in linked working trees. */
  readonly commonDir: string;
}

/**
 * The nearest folder upward that contains a `.git` folder or file which leads to a repository, or null. Starts no
 * process and believes no setting: `core.worktree` can point anywhere.
 */
export function findGitTop(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (findGitDir(at) !== null) return at;
    if (dirname(at) === at) return null;
  }
}

/** The repository that `folder` is in; null if it is in none. */
export function findGitPlace(folder: string): GitPlace | null {
  const found = findGitTop(folder);
  if (found === null) return null;
  const top = realpathSync(found);
  const gitDir = findGitDir(top);
  return gitDir === null ? null : { top, gitDir, commonDir: commonDirOf(gitDir) };
}

/**
 * The repository that this very folder is, a bare one included, or whose working tree it is the top of; null if it is
 * neither. A bare one has itself as its top, where no file is ever looked for.
 */
export function findRepository(folder: string): GitPlace | null {
  const isBare = looksLikeRepository(folder);
  if (!isBare && findGitDir(folder) === null) return null;
  const top = realpathSync(folder);
  return isBare ? { top, gitDir: top, commonDir: commonDirOf(top) } : findGitPlace(top);
}

function commonDirOf(gitDir: string): string {
  const common = readRegularFile(join(gitDir, "commondir"), 4096);
  return common.kind === "file" ? resolve(gitDir, common.bytes.toString("utf8").trim()) : gitDir;
}

/** What `.git` in this very folder leads to, if that looks like a repository, as git itself judges. */
export function findGitDir(folder: string): string | null {
  const marker = join(folder, ".git");
  if (looksLikeRepository(marker)) return marker;
  const file = readRegularFile(marker, 4096);
  if (file.kind !== "file") return null;
  const match = /^gitdir: (.+?)[\r\n]*$/s.exec(file.bytes.toString("utf8"));
  if (match === null) return null;
  const target = resolve(folder, match[1] ?? "");
  return looksLikeRepository(target) ? target : null;
}

function looksLikeRepository(gitDir: string): boolean {
  try {
    const head = statSync(join(gitDir, "HEAD"));
    if (!head.isFile()) return false;
    const hasOwnObjects = statSync(join(gitDir, "objects"), { throwIfNoEntry: false })?.isDirectory() === true;
    return hasOwnObjects || readRegularFile(join(gitDir, "commondir"), 4096).kind === "file";
  } catch (error) {
    passMachineFault(error);
    return false;
  }
}

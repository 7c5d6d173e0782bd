import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { lookOr } from "../store/error-code.ts";
import { realOrNull, statIfReadable } from "../store/folder.ts";
import { readRegularFile, readText } from "../store/read-file.ts";
import { shorten } from "../text/shorten.ts";

/** Of a file in which git names a folder or keeps its settings. */
const mostBytes = 64 * 1024;

export interface GitPlace {
  readonly top: string;
  readonly gitDir: string;
  /** Holds `info/exclude`; differs from `gitDir` in linked working trees. */
  readonly commonDir: string;
}

/** A repository without a working tree, where no file is ever looked for. */
export function bareAt(folder: string): GitPlace {
  return { top: folder, gitDir: folder, commonDir: folder };
}

/** Starts no process and trusts no setting, since `core.worktree` can point anywhere. */
export function findGitTop(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (findGitDir(at) !== null) return at;
    if (dirname(at) === at) return null;
  }
}

export function findGitPlace(folder: string): GitPlace | null {
  const found = findGitTop(folder);
  if (found === null) return null;
  const top = realpathSync(found);
  const gitDir = findGitDir(top);
  return gitDir === null ? null : { top, gitDir, commonDir: commonDirOf(gitDir) };
}

/**
 * The repository that this very folder is, bare or not. A bare one is its own top, where no file is ever looked for.
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

/** Where `.git` in this very folder leads, if that looks like a repository to git. */
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

/** Why there is no repository around this folder although there is a `.git`, as in a linked working tree; null: there is none. */
export function findLostGit(folder: string): { file: string; message: string; fix: string } | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, ".git");
    const isLost = findGitDir(at) === null;
    if (isLost && statIfReadable(file)?.isDirectory() === true)
      return {
        file,
        message: ".git is a folder, but no git repository: its HEAD or its objects are missing",
        fix: "put them back, for example from another clone; without git, name the repo with `repo:` in the brief",
      };
    const text = isLost ? readText(file, 4096) : null;
    if (text !== null)
      return {
        file,
        message: `.git leads to no git repository: ${shorten(text.trim(), 200)}`,
        fix: "put that repository back where it was (in a container: mount it there), or run `git worktree repair` in it",
      };
    if (dirname(at) === at) return null;
  }
}

function looksLikeRepository(gitDir: string): boolean {
  return lookOr(() => {
    const head = statSync(join(gitDir, "HEAD"));
    if (!head.isFile()) return false;
    const hasOwnObjects = statSync(join(gitDir, "objects"), { throwIfNoEntry: false })?.isDirectory() === true;
    return hasOwnObjects || readRegularFile(join(gitDir, "commondir"), 4096).kind === "file";
  }, false);
}

/**
 * The git folder of a linked working tree or submodule. Since an agent can write `.git` in the repo, that folder must
 * name this very repo too. Empty if there is none or it cannot be verified.
 */
export function findOuterGit(repo: string): string[] {
  const marker = join(repo, ".git");
  const named = lstatSync(marker, { throwIfNoEntry: false })?.isFile() === true ? findGitDir(repo) : null;
  const gitDir = named === null ? null : realOrNull(named);
  if (gitDir === null) return [];
  const common = readText(join(gitDir, "commondir"), mostBytes);
  if (common === null) return namesWorktree(gitDir, repo) ? [gitDir] : [];
  const commonDir = realOrNull(resolve(gitDir, common.trim()));
  const isLinked = commonDir !== null && dirname(gitDir) === join(commonDir, "worktrees");
  return isLinked && leadsTo(gitDir, readText(join(gitDir, "gitdir"), mostBytes), marker) ? [commonDir] : [];
}

function namesWorktree(gitDir: string, repo: string): boolean {
  const value = /^[ \t]*worktree[ \t]*=[ \t]*(.*?)[ \t]*$/m.exec(
    readText(join(gitDir, "config"), mostBytes) ?? "",
  )?.[1];
  return leadsTo(gitDir, value?.replace(/^"(.*)"$/, "$1").replace(/\\(["\\])/g, "$1") ?? null, repo);
}

function leadsTo(folder: string, text: string | null, place: string): boolean {
  const path = text?.replace(/[\r\n]+$/, "") ?? "";
  return path !== "" && realOrNull(resolve(folder, path)) === realOrNull(place);
}

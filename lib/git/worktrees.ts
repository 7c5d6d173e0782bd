import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../store/error-code.ts";
import { readText } from "../store/read-file.ts";
import { branchName } from "../text/ref-name.ts";
import type { GitPlace } from "./place.ts";

const mostBytes = 64 * 1024;

/**
 * The working tree that has a branch, a full ref name, checked out, or that comes back to it at the end of a rebase or a
 * bisect; null: none has. Starts no process.
 */
export function checkedOutIn({ top, gitDir: own, commonDir }: GitPlace, ref: string): string | null {
  const says = (gitDir: string, name: string) => readText(join(gitDir, name), mostBytes)?.trim();
  const isOn = (gitDir: string) =>
    says(gitDir, "HEAD") === `ref: ${ref}` ||
    ["rebase-merge", "rebase-apply"].some((folder) => says(gitDir, join(folder, "head-name")) === ref) ||
    says(gitDir, "BISECT_START") === branchName(ref);
  // A bare repository has no working tree; that of one in a folder of another name is known in it alone.
  if (isOn(commonDir) && !isBare(commonDir))
    return own === commonDir ? top : basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
  const found = listLinked(commonDir).find(isOn);
  return found === undefined ? null : treeOf(found);
}

/** All working trees of a repository, as far as it names them. Starts no process. */
export function listWorkingTrees({ top, commonDir }: GitPlace): string[] {
  const main = basename(commonDir) === ".git" ? [dirname(commonDir)] : [];
  return [...new Set([top, ...main, ...listLinked(commonDir).map(treeOf)])];
}

/** Git's own folder of each linked working tree. */
function listLinked(commonDir: string): string[] {
  return listNames(join(commonDir, "worktrees")).map((name) => join(commonDir, "worktrees", name));
}

function treeOf(gitDir: string): string {
  const marker = readText(join(gitDir, "gitdir"), mostBytes)?.trim();
  return marker === undefined ? gitDir : dirname(marker);
}

function isBare(commonDir: string): boolean {
  const settings = ["config", "config.worktree"].map((name) => readText(join(commonDir, name), mostBytes) ?? "");
  return settings.some((text) => /^\s*bare\s*=\s*true\s*$/im.test(text));
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

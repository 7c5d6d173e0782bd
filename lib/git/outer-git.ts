import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../store/read-file.ts";
import { realOrNull } from "../store/real-path.ts";
import { findGitDir } from "./place.ts";

/**
 * Where git keeps what belongs to this working tree outside of it: of a linked working tree, or of a submodule. What
 * `.git` in the repo says is not enough, since anybody who works there can write it: the place that it leads to must
 * name this very repo too. Empty if nothing is outside, or if that cannot be told.
 */
export function findOuterGit(repo: string): string[] {
  const marker = join(repo, ".git");
  const named = lstatSync(marker, { throwIfNoEntry: false })?.isFile() === true ? findGitDir(repo) : null;
  const gitDir = named === null ? null : realOrNull(named);
  if (gitDir === null) return [];
  const common = readText(join(gitDir, "commondir"));
  if (common === null) return namesWorktree(gitDir, repo) ? [gitDir] : [];
  const commonDir = realOrNull(resolve(gitDir, common.trim()));
  const isLinked = commonDir !== null && dirname(gitDir) === join(commonDir, "worktrees");
  return isLinked && leadsTo(gitDir, readText(join(gitDir, "gitdir")), marker) ? [commonDir] : [];
}

/** `core.worktree` of a submodule's configuration, as git writes it. */
function namesWorktree(gitDir: string, repo: string): boolean {
  const value = /^[ \t]*worktree[ \t]*=[ \t]*(.*?)[ \t]*$/m.exec(readText(join(gitDir, "config")) ?? "")?.[1];
  return leadsTo(gitDir, value?.replace(/^"(.*)"$/, "$1").replace(/\\(["\\])/g, "$1") ?? null, repo);
}

function leadsTo(folder: string, text: string | null, place: string): boolean {
  const path = text?.replace(/[\r\n]+$/, "") ?? "";
  return path !== "" && realOrNull(resolve(folder, path)) === realOrNull(place);
}

function readText(path: string): string | null {
  const read = readRegularFile(path, 64 * 1024);
  return read.kind === "file" ? read.bytes.toString("utf8") : null;
}

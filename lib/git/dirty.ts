import { pathKey } from "../store/path-key.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { insideOf, isRuntime, isUnder } from "./stage.ts";

export interface RepoStatus {
  /** Null before the first commit. */
  readonly commit: string | null;
  /** Null if no branch is checked out. */
  readonly branch: string | null;
  /** Whether the code differs from the commit, untracked files that are not ignored included. */
  readonly dirty: boolean;
}

/**
 * What is checked out, and whether the code differs from it. Code is what the fingerprint is taken of: the paths of
 * the repo without the absolute folders and files of `leaveOut`, such as task folders. Throws TP_GIT.
 */
export async function readStatus(
  place: GitPlace,
  repo: string,
  leaveOut: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<RepoStatus> {
  const inside = insideOf(place, repo) ?? Buffer.alloc(0);
  const excluded = leaveOut.map((folder) => insideOf(place, folder)).filter((folder) => folder !== null);
  const form = ["--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--ignore-submodules=all", "--no-renames"];
  const { stdout } = await runGit(place, ["status", ...form, "--untracked-files=all"], { cwd: place.top, env });
  const lines = splitNul(stdout);
  const told = (key: string): string | null => {
    const head = `# branch.${key} `;
    const value = lines
      .map(String)
      .find((line) => line.startsWith(head))
      ?.slice(head.length);
    return value === undefined || ["(initial)", "(detached)"].includes(value) ? null : value;
  };
  const isCode = (path: Buffer): boolean =>
    isUnder(path, inside) && !isRuntime(path) && !excluded.some((folder) => isUnder(path, folder));
  const changed = lines.map(changedPath).filter((path) => path !== null);
  return { commit: told("oid"), branch: told("head"), dirty: changed.some(isCode) };
}

/**
 * The paths in `repo` that differ from what is checked out, relative to it, as `pathKey` writes them, untracked ones that
 * are not ignored included and the runner's moving parts left out. Throws TP_GIT.
 */
export async function listChanged(place: GitPlace, repo: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const inside = insideOf(place, repo) ?? Buffer.alloc(0);
  const form = ["--porcelain=v2", "-z", "--ignore-submodules=all", "--no-renames", "--untracked-files=all"];
  const { stdout } = await runGit(place, ["status", ...form], { cwd: place.top, env });
  return splitNul(stdout)
    .map(changedPath)
    .filter((path) => path !== null && isUnder(path, inside) && !isRuntime(path))
    .map((path) => pathKey((path ?? Buffer.alloc(0)).subarray(inside.length === 0 ? 0 : inside.length + 1)));
}

/** Fields before the path, by the first sign of a line; see git-status, porcelain format version 2. */
const fieldsBefore: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1 };

function changedPath(line: Buffer): Buffer | null {
  const fields = fieldsBefore[String.fromCharCode(line[0] ?? 0)];
  if (fields === undefined) return null;
  let at = -1;
  for (let field = 0; field < fields; field += 1) at = line.indexOf(0x20, at + 1);
  const path = line.subarray(at + 1);
  return path.at(-1) === 0x2f ? path.subarray(0, -1) : path;
}

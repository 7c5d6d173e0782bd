import { lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname, relative } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { passMachineFault } from "../store/error-code.ts";
import { statEntry } from "../store/folder.ts";
import { joinBytes, pathKey } from "../store/path-key.ts";
import { walkTree } from "../store/walk.ts";
import { branchName } from "../text/ref-name.ts";
import { readHead, readStatus } from "./head.ts";
import { readIgnoreRules } from "./ignore-rules.ts";
import { listNames, type RepoPath, toRepoPath } from "./list-names.ts";
import { findGitDir, findGitPlace, type GitPlace } from "./place.ts";
import { whereGitCan } from "./remote.ts";
import { runGit, twiceIfGitFails } from "./run-git.ts";

export { findGitTop } from "./place.ts";

/** `stats` of the entry itself, links not followed; null if it is gone; undefined if not taken yet. */
type VisitPath = (path: RepoPath, stats: Stats | null | undefined) => void;

/** Digests of the ignore rules in no visited file, by a name that no path has. */
type RuleDigests = ReadonlyMap<string, string>;

/** Lets timers and signals run in between. */
const filesInOneGo = 64;

/**
 * Visits tracked paths and untracked ones that are not ignored, nested repositories included; without git, or if an
 * outer repository ignores the folder, every file. A path may come twice. Throws TP_GIT, and what `visit` throws.
 */
export async function visitRepo(repo: string, visit: VisitPath, env: NodeJS.ProcessEnv): Promise<RuleDigests> {
  const folder = realpathSync(repo);
  const place = findGitPlace(folder);
  if (place === null || (await isIgnored(place, folder, env))) return await visitWhole(Buffer.from(folder), visit);
  const { paths, ignored } = await listNames(place, folder, env);
  const rules = await readIgnoreRules(place, folder, ignored, env);
  const found = new Map(rules.digests);
  const inside = await visitNamed(folder, [...paths, ...rules.hiddenFiles.map(toRepoPath)], visit);
  for (const id of inside) {
    const path = Buffer.from(id, "latin1");
    const visitInner: VisitPath = (inner, stats) => visit(toRepoPath(joinBytes(path, inner.path)), stats);
    const nested = await visitNested(joinBytes(Buffer.from(folder), path), visitInner, env);
    for (const [name, digest] of nested) found.set(`${pathKey(path)}/${name}`, digest);
  }
  return found;
}

async function visitWhole(folder: Buffer, visit: VisitPath): Promise<RuleDigests> {
  for (const [count, path] of walkTree(folder).entries()) {
    visit(toRepoPath(path), undefined);
    if (count % filesInOneGo === 0) await nextTurn();
  }
  return new Map();
}

/**
 * Git lists one name for a nested repository, a submodule or a folder in place of a tracked file, and follows no folder
 * that became a link. Files could hide in both, so look into them. Returns those folders, bytes as latin1.
 */
async function visitNamed(folder: string, paths: readonly RepoPath[], visit: VisitPath): Promise<ReadonlySet<string>> {
  const root = Buffer.from(folder);
  const parents = new Map<string, "folder" | "nested" | "other">([["", "folder"]]);
  const inside = new Set<string>();

  function classify(id: string): "folder" | "nested" | "other" {
    const before = parents.get(id);
    if (before !== undefined) return before;
    const above = classify(id.slice(0, Math.max(0, id.lastIndexOf("/"))));
    const absolute = joinBytes(root, Buffer.from(id, "latin1"));
    let kind: "folder" | "nested" | "other" = "other";
    if (above !== "other" && statEntry(absolute)?.isDirectory() === true)
      kind = findGitDir(absolute.toString("utf8")) !== null ? "nested" : "folder";
    if (kind === "nested") inside.add(id);
    parents.set(id, kind);
    return kind;
  }

  for (const [count, each] of paths.entries()) {
    if (count % filesInOneGo === 0) await nextTurn();
    if (classify(each.parent) === "other") continue;
    const stats = statEntry(pathIn(folder, each));
    if (stats?.isDirectory() === true) inside.add(each.path.toString("latin1"));
    else visit(each, stats);
  }
  return inside;
}

/** Text if the bytes are UTF-8, which is cheaper. */
export function pathIn(folder: string, { path, key }: RepoPath): string | Buffer {
  return key.startsWith("//") ? joinBytes(Buffer.from(folder), path) : `${folder}/${key}`;
}

async function visitNested(folder: Buffer, visit: VisitPath, env: NodeJS.ProcessEnv): Promise<RuleDigests> {
  // Git takes folders as text here; if that loses bytes, count every file.
  if (!Buffer.from(folder.toString("utf8")).equals(folder) || findGitDir(folder.toString("utf8")) === null)
    return await visitWhole(folder, visit);
  let isVisitors = false;
  const noting: VisitPath = (path, stats) => {
    isVisitors = true;
    visit(path, stats);
    isVisitors = false;
  };
  try {
    const visited = await twiceIfGitFails(() => visitRepo(folder.toString("utf8"), noting, env));
    if (visited.kind === "done") return visited.value;
  } catch (error) {
    if (isVisitors) throw error;
    passMachineFault(error);
  }
  // Git cannot read it: every file counts.
  return await visitWhole(folder, visit);
}

async function isIgnored(place: GitPlace, folder: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const path = relative(place.top, folder);
  if (path === "" || !lstatSync(folder).isDirectory()) return false;
  const args = ["check-ignore", "-q", "--no-index", "--", path];
  return (await runGit(place, args, { env, accept: [0, 1] })).exitCode === 0;
}

/** Whether git tracks this file, a real path, or any in this folder; false without git. */
export async function findsTracked(path: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const folder = lstatSync(path).isDirectory() ? path : dirname(path);
  const place = findGitPlace(folder);
  if (place === null) return false;
  const { stdout } = await runGit(place, ["--literal-pathspecs", "ls-files", "-z", "--", path], { cwd: folder, env });
  return stdout.length > 0;
}

export interface RepoDescription {
  readonly branch: string | null;
  /** Untracked files count; null without git. */
  readonly dirty: boolean | null;
}

/** For people; no verdict depends on it. Does not throw: what git cannot tell is null. */
export async function readRepo(
  repo: string,
  leaveOut: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<RepoDescription> {
  const place = findGitPlace(repo);
  if (place === null) return { branch: null, dirty: null };
  const status = await whereGitCan(() => readStatus(place, repo, leaveOut, env));
  if (status !== null) return { branch: status.branch, dirty: status.dirty };
  // A broken index does not affect the branch.
  const ref = (await whereGitCan(() => readHead(place, env)))?.ref ?? null;
  return { branch: ref === null ? null : branchName(ref), dirty: null };
}

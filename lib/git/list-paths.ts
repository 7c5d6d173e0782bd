import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { lookAt } from "../store/folder.ts";
import { hashFile } from "../store/hash-file.ts";
import { joinBytes, pathKey } from "../store/path-key.ts";
import { listReadable, walkTree } from "../store/walk.ts";
import { readIgnoreRules } from "./ignore-rules.ts";
import { findGitDir, findGitPlace, type GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

export { describeRepo, type RepoDescription } from "./describe-repo.ts";
export { findGitTop } from "./place.ts";

export interface RepoListing {
  /**
   * Relative to the repo, as bytes, each once: tracked paths and untracked ones that are not ignored, of nested
   * repositories too. Some may be gone from disk.
   */
  readonly paths: readonly Buffer[];
  /** Digests of the ignore rules that are in no listed file, by a name that no listed path has. */
  readonly rules: ReadonlyMap<string, string>;
}

/**
 * What makes up the repo's contents. Without git, or if an outer repository ignores the whole folder: every file
 * of the tree. Throws TP_GIT if git cannot read its own files.
 */
export async function listRepoPaths(repo: string, env: NodeJS.ProcessEnv = process.env): Promise<RepoListing> {
  const folder = realpathSync(repo);
  const place = findGitPlace(folder);
  if (place === null || (await isIgnored(place, folder, env))) {
    return { paths: walkTree(Buffer.from(folder)), rules: new Map() };
  }
  const [tracked, loose] = await Promise.all([listTracked(place, folder, env), listLoose(place, folder, env)]);
  const known = new Map([...tracked, ...loose.others].map((path) => [path.toString("latin1"), path]));
  const hidden = loose.ignored.filter((path) => !known.has(path.toString("latin1")));
  const rules = await readIgnoreRules(place, folder, hidden, env);
  const found = new Map(rules.digests);
  for (const path of rules.hiddenFiles) known.set(path.toString("latin1"), path);
  await listInside(folder, known, found, env);
  return { paths: [...known.values()], rules: found };
}

const trackedSeen = new Map<string, readonly Buffer[]>();

/** What the index lists. It is asked again only if the bytes of the index differ. */
async function listTracked(place: GitPlace, folder: string, env: NodeJS.ProcessEnv): Promise<readonly Buffer[]> {
  const key = `${folder}\0${digestIndex(place)}`;
  const known = trackedSeen.get(key);
  if (known !== undefined) return known;
  const { stdout } = await runGit(place, ["ls-files", "-z", "--cached"], { cwd: folder, env });
  const paths = splitNul(stdout).map(withoutSlash);
  trackedSeen.clear();
  trackedSeen.set(key, paths);
  return paths;
}

/** With the parts of an index that was split. */
function digestIndex({ gitDir, commonDir }: GitPlace): string {
  const shared = listReadable(gitDir).filter(({ name }) => name.startsWith("sharedindex."));
  const files = ["index", ...shared.map(({ name }) => name)].map((name) => hashFile(join(gitDir, name)));
  const settings = hashFile(join(commonDir, "config"));
  return [...files, settings].map((file) => (file.kind === "file" ? file.sha256 : file.kind)).join(" ");
}

/** Files that are not ignored, tracked ones too, and the uppermost files and folders that are; relative to the folder. */
async function listLoose(
  place: GitPlace,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly others: readonly Buffer[]; readonly ignored: readonly Buffer[] }> {
  const form = ["--porcelain", "-z", "--untracked-files=all", "--ignored=matching"];
  const call = { cwd: folder, env, contents: "loose" } as const;
  const { stdout } = await runGit(place, ["status", ...form, "--", "."], call);
  const others: Buffer[] = [];
  const ignored: Buffer[] = [];
  // Git names them from the top of the working tree.
  const prefix = folder === place.top ? 0 : Buffer.byteLength(relative(place.top, folder)) + 1;
  for (const line of splitNul(stdout)) {
    const list = line[0] === 0x3f ? others : ignored;
    list.push(withoutSlash(line.subarray("?? ".length + prefix)));
  }
  return { others, ignored };
}

function withoutSlash(path: Buffer): Buffer {
  return path.at(-1) === 0x2f ? path.subarray(0, -1) : path;
}

/**
 * Git lists one name for a nested repository, a submodule, or a folder that took the place of a tracked file, and
 * follows no folder that became a link. Both must be seen through, or files could hide there.
 */
async function listInside(
  folder: string,
  known: Map<string, Buffer>,
  rules: Map<string, string>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const root = Buffer.from(folder);
  const parents = new Map<string, "folder" | "nested" | "other">([["", "folder"]]);
  const inside = new Set<string>();

  function look(path: Buffer): "folder" | "nested" | "other" {
    const id = path.toString("latin1");
    const before = parents.get(id);
    if (before !== undefined) return before;
    const above = look(path.subarray(0, Math.max(0, path.lastIndexOf(0x2f))));
    const absolute = joinBytes(root, path);
    let kind: "folder" | "nested" | "other" = "other";
    if (above !== "other" && lookAt(absolute)?.isDirectory() === true) kind = hasGit(absolute) ? "nested" : "folder";
    if (kind === "nested") inside.add(id);
    parents.set(id, kind);
    return kind;
  }

  for (const [id, path] of [...known]) {
    if (look(path.subarray(0, Math.max(0, path.lastIndexOf(0x2f)))) === "other") {
      known.delete(id);
    } else if (lookAt(joinBytes(root, path))?.isDirectory() === true) {
      known.delete(id);
      inside.add(id);
    }
  }
  for (const id of inside) {
    const path = Buffer.from(id, "latin1");
    const nested = await listNested(joinBytes(root, path), env);
    for (const inner of nested.paths) {
      const whole = joinBytes(path, inner);
      known.set(whole.toString("latin1"), whole);
    }
    for (const [name, digest] of nested.rules) rules.set(`${pathKey(path)}/${name}`, digest);
  }
}

async function listNested(folder: Buffer, env: NodeJS.ProcessEnv): Promise<RepoListing> {
  const whole = (): RepoListing => ({ paths: walkTree(folder), rules: new Map() });
  // Git takes its folders as text here; if that would not lead back to the same bytes, all files count.
  if (!Buffer.from(folder.toString("utf8")).equals(folder) || findGitDir(folder.toString("utf8")) === null)
    return whole();
  try {
    return await listRepoPaths(folder.toString("utf8"), env);
  } catch {
    // Broken inside: what git cannot tell apart counts as a whole.
    return whole();
  }
}

function hasGit(folder: Buffer): boolean {
  return findGitDir(folder.toString("utf8")) !== null;
}

async function isIgnored(place: GitPlace, folder: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const path = relative(place.top, folder);
  if (path === "" || !lstatSync(folder).isDirectory()) return false;
  const args = ["check-ignore", "-q", "--no-index", "--", path];
  return (await runGit(place, args, { cwd: place.top, env, accept: [0, 1] })).exitCode === 0;
}

/** True if git tracks this file, or a file in this folder; false without git. The path is a real one. */
export async function findsTracked(path: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const folder = lstatSync(path).isDirectory() ? path : dirname(path);
  const place = findGitPlace(folder);
  if (place === null) return false;
  const { stdout } = await runGit(place, ["--literal-pathspecs", "ls-files", "-z", "--", path], { cwd: folder, env });
  return stdout.length > 0;
}

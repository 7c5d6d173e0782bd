import { join, relative } from "node:path";
import { hashFile } from "../store/hash-file.ts";
import { pathKey } from "../store/path-key.ts";
import { listReadable } from "../store/walk.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

export interface RepoPath {
  readonly path: Buffer;
  /** The path as `pathKey` writes it. */
  readonly key: string;
  readonly parent: string;
}

interface RepoNames {
  /** Tracked paths and untracked ones that are not ignored, each once, without those in nested repositories. */
  readonly paths: readonly RepoPath[];
  readonly ignored: readonly Buffer[];
}

export function toRepoPath(path: Buffer): RepoPath {
  return { path, key: pathKey(path), parent: path.toString("latin1", 0, Math.max(0, path.lastIndexOf(0x2f))) };
}

// A pass takes several fingerprints, mostly of the same names.
let newest: { readonly key: string; readonly loose: Buffer; readonly names: RepoNames } | null = null;
let newestTracked: TrackedPaths | null = null;

interface TrackedPaths {
  readonly key: string;
  readonly list: Buffer;
  readonly paths: readonly Buffer[];
}

/** The last answer of git, if it was about this folder. */
export function recallTracked(folder: string): TrackedPaths | null {
  return newestTracked?.key.startsWith(`${folder}\0`) === true ? newestTracked : null;
}

export function rememberTracked(key: string, list: Buffer): void {
  newestTracked = { key, list, paths: splitNul(list).map(withoutSlash) };
}

export async function listNames(place: GitPlace, folder: string, env: NodeJS.ProcessEnv): Promise<RepoNames> {
  const key = `${folder}\0${digestIndex(place)}`;
  const [tracked, loose] = await Promise.all([listTracked(place, folder, key, env), statusOf(place, folder, env)]);
  if (newest?.key === key && newest.loose.equals(loose)) return newest.names;
  const { others, ignored } = splitStatus(loose, place, folder);
  const known = new Map([...tracked, ...others].map((path) => [path.toString("latin1"), path]));
  const names: RepoNames = {
    paths: [...known.values()].map(toRepoPath),
    ignored: ignored.filter((path) => !known.has(path.toString("latin1"))),
  };
  newest = { key, loose, names };
  return names;
}

/** Asks git only if the bytes of the index changed. */
async function listTracked(
  place: GitPlace,
  folder: string,
  key: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly Buffer[]> {
  if (newestTracked?.key === key) return newestTracked.paths;
  const { stdout } = await runGit(place, ["ls-files", "-z", "--cached"], { cwd: folder, env });
  rememberTracked(key, stdout);
  return newestTracked?.paths ?? [];
}

function digestIndex({ gitDir, commonDir }: GitPlace): string {
  const shared = listReadable(gitDir).filter(({ name }) => name.startsWith("sharedindex."));
  const files = ["index", ...shared.map(({ name }) => name)].map((name) => hashFile(join(gitDir, name)));
  const settings = hashFile(join(commonDir, "config"));
  return [...files, settings].map((file) => (file.kind === "file" ? file.sha256 : file.kind)).join(" ");
}

/** Files that are not ignored, and the uppermost ignored files and folders. */
async function statusOf(place: GitPlace, folder: string, env: NodeJS.ProcessEnv): Promise<Buffer> {
  const form = ["--porcelain", "-z", "--untracked-files=all", "--ignored=matching"];
  return (await runGit(place, ["status", ...form, "--", "."], { cwd: folder, env, contents: "loose" })).stdout;
}

function splitStatus(status: Buffer, place: GitPlace, folder: string) {
  const others: Buffer[] = [];
  const ignored: Buffer[] = [];
  // Git prints paths from the top of the working tree.
  const prefix = folder === place.top ? 0 : Buffer.byteLength(relative(place.top, folder)) + 1;
  for (const line of splitNul(status)) {
    const list = line[0] === 0x3f ? others : ignored;
    list.push(withoutSlash(line.subarray("?? ".length + prefix)));
  }
  return { others, ignored };
}

function withoutSlash(path: Buffer): Buffer {
  return path.at(-1) === 0x2f ? path.subarray(0, -1) : path;
}

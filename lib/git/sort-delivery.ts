import { setImmediate as nextTurn } from "node:timers/promises";
import { joinBytes, pathBytes } from "../store/path-key.ts";
import { listFiltered, readAttributes } from "./attributes.ts";
import { type Listing, nameListed, readPointers } from "./delivered-blobs.ts";
import { settingOf } from "./git-settings.ts";
import { findIgnored } from "./ignore-rules.ts";
import type { TreeEntry } from "./list-tree.ts";
import type { GitPlace } from "./place.ts";
import { knownSettings } from "./plain-place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { sortPaths } from "./stage.ts";
import { stageAsGit, writeBlobs, writeSources } from "./stage-paths.ts";

export interface DeliveredFile {
  /** Of a fingerprint. */
  readonly entry: string;
  /** The bytes are in `blobs`, and in no listed file. */
  readonly isKept: boolean;
  /** What git has for it; null in a submodule. */
  readonly blob: TreeEntry | null;
}

/** Listed paths that the delivery lacks, or has with other bytes. */
export type Undelivered = readonly { readonly path: string; readonly why: string }[];

const uncommitted = "changes that are not committed, and that no pass of this task made: commit what the work needs";
const filterWhy = "a filter program of git's settings applies to it, and the runner runs none: commit it by hand";
const hiddenWhy = "git is told not to look at it, so that no commit takes it";
const bytesWhy = "git cannot store it, because of its encoding";

export interface ListedRequest {
  readonly place: GitPlace;
  /** The folder of the repo, from the top. */
  readonly inside: Buffer;
  readonly commit: string;
  readonly listing: Listing;
  /** Whether the listing is that of the working tree, which git can look at. */
  readonly isPresent: boolean;
  /** The listed paths that passes changed: they are handed over besides the commit. */
  readonly changed: ReadonlySet<string>;
  /** Whether the runner itself commits them. */
  readonly commits: boolean;
  readonly env: NodeJS.ProcessEnv;
}

export interface Sorted {
  readonly asListed: ReadonlyMap<string, DeliveredFile>;
  /** By path from the top, as latin1: the listing does not have these bytes, or not for sure. */
  readonly toWrite: ReadonlyMap<string, TreeEntry>;
  /** What a commit of it all holds, by path. */
  readonly stored: ReadonlyMap<string, TreeEntry>;
  readonly undelivered: Undelivered;
}

/**
 * Sorts the listed files into those delivered as they are, those that git has to write, and those not delivered. Throws
 * TP_GIT.
 */
export async function sortListed(
  { place, inside, commit, listing, isPresent, changed, commits, env }: ListedRequest,
  at: {
    readonly tree: ReadonlyMap<string, TreeEntry>;
    readonly inSubmodule: (path: string) => boolean;
    readonly variables: Readonly<Record<string, string>>;
  },
): Promise<Sorted> {
  const { tree } = at;
  const options = { env, variables: at.variables };
  const fromTop = (path: string): Buffer => joinBytes(inside, pathBytes(path));
  const idOf = (path: string): string => fromTop(path).toString("latin1");
  const all = [...listing.entries].filter(([path, entry]) => /^(?:file|link) /.test(entry) && !at.inSubmodule(path));
  // Tools put a .gitignore that ignores itself into what they make: it is listed, and no commit takes it.
  const rules = isPresent
    ? all.flatMap(([path]) => (path.endsWith("/.gitignore") && !tree.has(path) ? [idOf(path)] : []))
    : [];
  const ignored = await findIgnored(place, place.top, rules, env);
  const forced = ignored.size === 0 ? ignored : await listRules(place, env);
  const listed = all.filter(([path]) => !ignored.has(idOf(path)) || forced.has(idOf(path)));
  const names = await nameAll(listing, listed, commit.length);
  const isDoubtful = (path: string): boolean => changed.has(path) || names.get(path) !== tree.get(path)?.oid;
  const paths = [...new Set([...listed.map(([path]) => path), ...tree.keys()])].map(fromTop);
  const doubtful = listed.filter(([path]) => isDoubtful(path)).map(([path]) => fromTop(path));
  // Rules above the repo's folder count too.
  const hasRules = inside.length > 0 || paths.some((path) => path.toString("latin1").endsWith(".gitattributes"));
  const settings = await knownSettings(place, env);
  const plain = !hasRules && !/^(?:true|input)$/.test(settingOf(settings, "core.autocrlf") ?? "");
  const { present } = sortPaths(place, isPresent ? doubtful : []);
  // Where nothing converts, git stores the bytes as they are.
  const stage = async (): Promise<ReadonlyMap<string, string>> => {
    if (isPresent && !plain) return await stageAsGit(place, present, options);
    // Of a listing that is not the working tree, with the bytes that it has: git could convert only files of that.
    const sources = listed.flatMap(([path, entry]) => {
      const file = () => listing.fileOf(path, entry.split(" ")[2] ?? "");
      return changed.has(path) ? [{ path: fromTop(path), mode: modeOf(entry), file: file() }] : [];
    });
    const stored = isPresent ? await writeBlobs(place, present, options) : await writeSources(place, sources, options);
    return new Map(stored.map(({ path, oid }) => [path.toString("latin1"), oid]));
  };
  const [attributes, filtered, staged, hidden] = await Promise.all([
    hasRules ? readAttributes(place, paths, options) : new Map<string, never>(),
    hasRules ? listFiltered(place, paths, options) : new Set<string>(),
    stage(),
    commits || changed.size === 0 ? new Set<string>() : listHidden(place, env),
  ]);
  const keepsBit = settingOf(settings, "core.filemode") !== "false";
  const converts = (id: string): boolean => {
    const found = attributes.get(id);
    const encoding = found?.get("working-tree-encoding") ?? "unset";
    return found?.get("eol") === "crlf" || found?.get("ident") === "set" || encoding !== "unset";
  };
  const asListed = new Map<string, DeliveredFile>();
  const toWrite = new Map<string, TreeEntry>();
  const stored = new Map(tree);
  const undelivered: { path: string; why: string }[] = [];
  const take = (path: string, entry: string, mode: string): void => {
    const oid = names.get(path) ?? tree.get(path)?.oid;
    const blob = oid === undefined ? null : { mode, oid };
    asListed.set(path, { entry: entry.replace(/^file \d+/, `file ${mode.slice(-3)}`), isKept: false, blob });
  };
  const write = (path: string, blob: TreeEntry | undefined): void => {
    if (blob !== undefined) toWrite.set(idOf(path), blob);
  };
  const leave = (path: string, why: string): void => {
    undelivered.push({ path, why });
    write(path, tree.get(path));
  };
  const isLfs = (id: string) => filtered.has(id) && attributes.get(id)?.get("filter") === "lfs";
  const blobs = listed.flatMap(([path]) =>
    commits && changed.has(path) && isLfs(idOf(path)) ? (tree.get(idOf(path))?.oid ?? []) : [],
  );
  const pointers = blobs.length === 0 ? new Map<string, string>() : await readPointers(place, blobs, env);
  for (const [path, entry] of listed) {
    const [id, blob, name] = [idOf(path), tree.get(path), names.get(path)];
    const oid = staged.get(id);
    if (!changed.has(path)) {
      if (blob === undefined) leave(path, uncommitted);
      else if (filtered.has(id) || (name === blob.oid && !converts(id))) take(path, entry, blob.mode);
      else if (name === blob.oid || oid === blob.oid) write(path, blob);
      else leave(path, uncommitted);
      continue;
    }
    const mode = keepsBit ? modeOf(entry) : (blob?.mode ?? "100644");
    const isLeft = (filtered.has(id) && attributes.get(id)?.get("filter") !== "lfs") || hidden.has(id);
    if (oid !== undefined && !isLeft) stored.set(path, { oid, mode });
    if (filtered.has(id)) {
      const isSure = !commits || pointers.get(blob?.oid ?? "") === entry.split(" ")[2];
      if (isLfs(id) && isSure) take(path, entry, mode);
      else leave(path, filterWhy);
    } else if (hidden.has(id)) leave(path, hiddenWhy);
    else if (oid === undefined) leave(path, bytesWhy);
    else if (oid === name && !converts(id)) take(path, entry, mode);
    else write(path, { oid, mode });
  }
  for (const [path, blob] of tree) if (!listing.entries.has(path) && !changed.has(path)) write(path, blob);
  for (const path of changed) if (!listing.entries.has(path)) stored.delete(path);
  return { asListed, toWrite, stored, undelivered };
}

/** The `.gitignore` files in the index, as latin1. */
async function listRules(place: GitPlace, env: NodeJS.ProcessEnv): Promise<ReadonlySet<string>> {
  const { stdout } = await runGit(place, ["ls-files", "-z", "--cached", "--", ":(glob)**/.gitignore"], { env });
  return new Set(splitNul(stdout).map((path) => path.toString("latin1")));
}

/** Paths, as latin1, that the index marks as assumed to be unchanged or as left out of the working tree; or `marks` alone. */
export async function listHidden(
  place: GitPlace,
  env: NodeJS.ProcessEnv,
  marks = /^[a-zS] /,
): Promise<ReadonlySet<string>> {
  const { stdout } = await runGit(place, ["ls-files", "-v", "-z"], { env });
  const lines = splitNul(stdout).map((line) => line.toString("latin1"));
  return new Set(lines.filter((line) => marks.test(line)).map((line) => line.slice(2)));
}

function modeOf(entry: string): string {
  return entry.startsWith("link ") ? "120000" : entry.startsWith("file 755") ? "100755" : "100644";
}

async function nameAll(
  listing: Listing,
  listed: readonly (readonly [string, string])[],
  nameLength: number,
): Promise<ReadonlyMap<string, string | null>> {
  const names = new Map<string, string | null>();
  for (const [path, entry] of listed) {
    names.set(path, nameListed(listing, path, entry, nameLength));
    if (names.size % filesInOneGo === 0) await nextTurn();
  }
  return names;
}

/** Lets timers and signals run in between. */
const filesInOneGo = 64;

import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { lookAt, makeFolder, removeAll } from "../store/folder.ts";
import { joinBytes, pathBytes, pathKey } from "../store/path-key.ts";
import { listFiltered, readAttributes } from "./attributes.ts";
import { checkOut } from "./check-out.ts";
import { keepBlob, type Listing, nameListed, pointsTo } from "./delivered-blobs.ts";
import { readHead } from "./head.ts";
import { listTree, type TreeEntry } from "./list-tree.ts";
import { findGitDir, findGitPlace, type GitPlace } from "./place.ts";
import { knownSettings } from "./plain-place.ts";
import { findCommit } from "./revision.ts";
import { runGit, splitNul } from "./run-git.ts";
import { settingOf } from "./settings.ts";
import { isUnder, sortPaths } from "./stage.ts";
import { stageAsGit } from "./stage-paths.ts";

export interface DeliveryRequest {
  readonly place: GitPlace;
  /** The folder of the repo, from the top. */
  readonly inside: Buffer;
  readonly commit: string;
  readonly listing: Listing;
  /** The listed paths that passes changed: they are handed over besides the commit. */
  readonly changed: ReadonlySet<string>;
  /** Whether the runner itself commits them. */
  readonly commits: boolean;
  /** Folders that are no part of the code, from the top. */
  readonly leaveOut: readonly Buffer[];
  /** Where bytes that no listed file has are put, under their sha256. */
  readonly blobs: string;
  /** Where new objects go, such as those of changed files. */
  readonly objects: string;
  /** A private folder, emptied and removed. */
  readonly scratch: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface DeliveredFile {
  /** Of a fingerprint. */
  readonly entry: string;
  /** The bytes are in `blobs`, and in no listed file. */
  readonly isKept: boolean;
  /** What git has for it; null in a submodule. */
  readonly blob: TreeEntry | null;
}

export interface Delivered {
  readonly entries: ReadonlyMap<string, DeliveredFile>;
  /** The commit of each submodule, by path. */
  readonly submodules: ReadonlyMap<string, TreeEntry>;
  /** What the listing has, and nobody gets, or gets with other bytes. */
  readonly undelivered: readonly { readonly path: string; readonly why: string }[];
}

const uncommitted = "not committed, and no pass of this task changed it";
const filterWhy = "a filter program of git's settings applies to it, and the runner runs none";
const hiddenWhy = "git is told not to look at it, so that no commit takes it";
const bytesWhy = "git cannot store it, because of its encoding";

/**
 * What a colleague gets: the commit, with the paths that passes changed, each with the bytes that git writes in a clone,
 * and submodules at the commit that is named for them. The index plays no part: it can be told to look away. Throws
 * TP_GIT and TP_DISK.
 */
export async function findDelivered(request: DeliveryRequest): Promise<Delivered> {
  const { place, inside, listing, env, scratch } = request;
  removeAll(scratch);
  makeFolder(request.objects, 0o700);
  const variables = {
    GIT_OBJECT_DIRECTORY: request.objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${join(place.commonDir, "objects").replaceAll(/["\\]/g, "\\$&")}"`,
    GIT_LITERAL_PATHSPECS: "1",
  };
  const tree = await listCode(request);
  const submodules = [...tree].filter(([, { mode }]) => mode === "160000").map(([path, { oid }]) => ({ path, oid }));
  for (const { path } of submodules) tree.delete(path);
  const inSubmodule = (path: string): boolean =>
    submodules.some((one) => path === one.path || path.startsWith(`${one.path}/`));
  const sort = await sortListed(request, { tree, inSubmodule, variables });
  const entries = new Map(sort.asListed);
  const written = await checkOut(place, sort.toWrite, join(scratch, "checkout"), { env, variables });
  for (const [id, blob] of sort.toWrite) {
    const [file, path] = [written.get(id), keyOf(inside, id)];
    if (file === undefined) continue;
    const entry = file.isLink ? `link - ${file.digest}` : `file ${blob.mode.slice(-3)} ${file.digest}`;
    const isListed = listing.entries.get(path)?.endsWith(` ${file.digest}`) === true;
    if (!isListed) keepBlob(request.blobs, file);
    entries.set(path, { entry, isKept: !isListed, blob });
  }
  const undelivered = [...sort.undelivered];
  const commits = new Map<string, TreeEntry>();
  for (const one of submodules) {
    const { commit, ...found } = await deliverSubmodule(request, one.path, one.oid);
    commits.set(one.path, { mode: "160000", oid: commit });
    for (const [path, file] of found.entries) entries.set(`${one.path}/${path}`, { ...file, blob: null });
    undelivered.push(...found.undelivered.map(({ path, why }) => ({ path: `${one.path}/${path}`, why })));
  }
  removeAll(scratch);
  return {
    entries,
    submodules: commits,
    undelivered: undelivered.filter(({ path }) => entries.get(path)?.entry !== listing.entries.get(path)),
  };
}

/** The files of the commit in the repo's folder, by path; without what is no code. */
async function listCode({ place, inside, commit, leaveOut, env }: DeliveryRequest): Promise<Map<string, TreeEntry>> {
  const all = await listTree(place, commit, env);
  return new Map(
    [...all].flatMap(([id, blob]): [string, TreeEntry][] => {
      const path = Buffer.from(id, "latin1");
      if (!isUnder(path, inside) || leaveOut.some((folder) => isUnder(path, folder))) return [];
      return [[keyOf(inside, id), blob]];
    }),
  );
}

function keyOf(inside: Buffer, id: string): string {
  const path = Buffer.from(id, "latin1");
  return pathKey(inside.length === 0 ? path : path.subarray(inside.length + 1));
}

interface Sorted {
  readonly asListed: ReadonlyMap<string, DeliveredFile>;
  /** By path from the top, as latin1: the listing does not have these bytes, or not for sure. */
  readonly toWrite: ReadonlyMap<string, TreeEntry>;
  readonly undelivered: Delivered["undelivered"];
}

async function sortListed(
  { place, inside, commit, listing, changed, commits, env }: DeliveryRequest,
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
  const listed = [...listing.entries].filter(([path, entry]) => /^(?:file|link) /.test(entry) && !at.inSubmodule(path));
  const names = await nameAll(listing, listed, commit.length);
  const isDoubtful = (path: string): boolean => changed.has(path) || names.get(path) !== tree.get(path)?.oid;
  const paths = [...new Set([...listed.map(([path]) => path), ...tree.keys()])].map(fromTop);
  const doubtful = listed.filter(([path]) => isDoubtful(path)).map(([path]) => fromTop(path));
  const [attributes, filtered, staged, settings, hidden] = await Promise.all([
    readAttributes(place, paths, options),
    listFiltered(place, paths, options),
    stageAsGit(place, sortPaths(place, doubtful).present, options),
    knownSettings(place, env),
    commits ? new Set<string>() : listHidden(place, env),
  ]);
  const keepsBit = settingOf(settings, "core.filemode") !== "false";
  const converts = (id: string): boolean => {
    const found = attributes.get(id);
    const encoding = found?.get("working-tree-encoding") ?? "unset";
    return found?.get("eol") === "crlf" || found?.get("ident") === "set" || encoding !== "unset";
  };
  const asListed = new Map<string, DeliveredFile>();
  const toWrite = new Map<string, TreeEntry>();
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
    if (filtered.has(id)) {
      const isLfs = attributes.get(id)?.get("filter") === "lfs";
      const isSure = isLfs && (!commits || (blob !== undefined && (await pointsTo(place, blob.oid, entry, env))));
      if (isSure) take(path, entry, mode);
      else leave(path, filterWhy);
    } else if (hidden.has(id)) leave(path, hiddenWhy);
    else if (oid === undefined) leave(path, bytesWhy);
    else if (oid === name && !converts(id)) take(path, entry, mode);
    else write(path, { oid, mode });
  }
  for (const [path, blob] of tree) if (!listing.entries.has(path) && !changed.has(path)) write(path, blob);
  return { asListed, toWrite, undelivered };
}

/** Paths, as latin1, that the index marks as assumed to be unchanged or as left out of the working tree. */
async function listHidden(place: GitPlace, env: NodeJS.ProcessEnv): Promise<ReadonlySet<string>> {
  const { stdout } = await runGit(place, ["ls-files", "-v", "-z"], { env });
  const lines = splitNul(stdout).map((line) => line.toString("latin1"));
  return new Set(lines.filter((line) => /^[a-zS] /.test(line)).map((line) => line.slice(2)));
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

/**
 * The files of a submodule at the commit that the delivery names; a pass that moved it, and did not commit that, hands
 * over the commit that the submodule has now. Nothing if it was never fetched here.
 */
async function deliverSubmodule(
  request: DeliveryRequest,
  path: string,
  named: string,
): Promise<Pick<Delivered, "entries" | "undelivered"> & { readonly commit: string }> {
  const noFiles = { entries: new Map(), undelivered: [], commit: named };
  const folder = join(request.place.top, request.inside.toString("utf8"), path);
  if (lookAt(folder)?.isDirectory() !== true || findGitDir(folder) === null) return noFiles;
  const place = findGitPlace(folder);
  if (place === null) return noFiles;
  const prefix = `${path}/`;
  const within = <Value>(pairs: Iterable<readonly [string, Value]>) =>
    [...pairs].flatMap(([key, value]): [string, Value][] =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    );
  const isMoved = !request.commits && within([...request.changed].map((key) => [key, null] as const)).length > 0;
  const commit = isMoved ? ((await readHead(place, request.env))?.commit ?? named) : named;
  if ((await findCommit(place, commit, request.env)) === null) return noFiles;
  const found = await findDelivered({
    ...request,
    place,
    inside: Buffer.alloc(0),
    commit,
    listing: {
      entries: new Map(within(request.listing.entries)),
      fileOf: (inner, digest) => request.listing.fileOf(prefix + inner, digest),
    },
    changed: new Set(),
    leaveOut: [],
    objects: join(request.scratch, "submodule-objects"),
    scratch: join(request.scratch, "submodule"),
  });
  return { ...found, commit };
}

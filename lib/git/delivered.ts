import { join } from "node:path";
import { makeFolder, removeAll, statEntry } from "../store/folder.ts";
import { checkOut } from "./check-out.ts";
import { saveBlob } from "./delivered-blobs.ts";
import { readHead } from "./head.ts";
import { listTree, type TreeEntry } from "./list-tree.ts";
import { besideObjects } from "./objects.ts";
import { findGitDir, findGitPlace } from "./place.ts";
import { findCommit } from "./revision.ts";
import { type DeliveredFile, type ListedRequest, sortListed, type Undelivered } from "./sort-delivery.ts";
import { holdsAbove, isUnder, keyInside } from "./stage.ts";

export interface DeliveryRequest extends ListedRequest {
  /** Folders and files that are no part of the code, from the top. */
  readonly leaveOut: readonly Buffer[];
  /** Where bytes that no listed file has are put, under their sha256. */
  readonly blobs: string;
  /** Where new objects go, such as those of changed files. */
  readonly objects: string;
  /** A private folder, emptied and removed. */
  readonly scratch: string;
}

export interface Delivered {
  readonly entries: ReadonlyMap<string, DeliveredFile>;
  /** The commit of each submodule, by path. */
  readonly submodules: ReadonlyMap<string, TreeEntry>;
  /** What a commit of it holds, by path, with submodules. */
  readonly tree: ReadonlyMap<string, TreeEntry>;
  /** Whether that is what the commit has. */
  readonly isCommitted: boolean;
  /** Listed paths that the delivery lacks, or has with other bytes. */
  readonly undelivered: Undelivered;
}

/**
 * The delivery: the commit, with the paths that passes changed, each with the bytes that git writes in a clone, and
 * submodules at the commit that is named for them. The index is ignored, since it can hide changes. Throws TP_GIT and
 * TP_DISK.
 */
export async function findDelivered(request: DeliveryRequest): Promise<Delivered> {
  const { place, inside, listing, env, scratch } = request;
  removeAll(scratch);
  makeFolder(request.objects, 0o700);
  const variables = { ...besideObjects(place, request.objects), GIT_LITERAL_PATHSPECS: "1" };
  const tree = await listCode(request);
  const submodules = [...tree].filter(([, { mode }]) => mode === "160000").map(([path, { oid }]) => ({ path, oid }));
  for (const { path } of submodules) tree.delete(path);
  const inSubmodule = (path: string): boolean =>
    submodules.some((one) => path === one.path || path.startsWith(`${one.path}/`));
  const sort = await sortListed(request, { tree, inSubmodule, variables });
  const entries = new Map(sort.asListed);
  const written = await checkOut(place, sort.toWrite, join(scratch, "checkout"), { env, variables });
  for (const [id, blob] of sort.toWrite) {
    const [file, path] = [written.get(id), keyInside(inside, Buffer.from(id, "latin1"))];
    if (file === undefined) continue;
    const entry = file.isLink ? `link - ${file.digest}` : `file ${blob.mode.slice(-3)} ${file.digest}`;
    const isListed = listing.entries.get(path)?.endsWith(` ${file.digest}`) === true;
    if (!isListed) saveBlob(request.blobs, file);
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
    tree: new Map([...sort.stored, ...commits]),
    isCommitted:
      sort.stored.size === tree.size &&
      [...sort.stored].every(([path, blob]) => isSame(blob, tree.get(path))) &&
      submodules.every(({ path, oid }) => commits.get(path)?.oid === oid),
    undelivered: undelivered.filter(({ path }) => entries.get(path)?.entry !== listing.entries.get(path)),
  };
}

function isSame(one: TreeEntry, other: TreeEntry | undefined): boolean {
  return one.oid === other?.oid && one.mode === other.mode;
}

/** The files of the commit in the repo's folder, by path; without what is no code. */
async function listCode({ place, inside, commit, leaveOut, env }: DeliveryRequest): Promise<Map<string, TreeEntry>> {
  const all = await listTree(place, commit, env);
  const left = new Set(leaveOut.map((path) => path.toString("latin1")));
  return new Map(
    [...all].flatMap(([id, blob]): [string, TreeEntry][] => {
      const path = Buffer.from(id, "latin1");
      if (!isUnder(path, inside) || holdsAbove(left, id)) return [];
      return [[keyInside(inside, Buffer.from(id, "latin1")), blob]];
    }),
  );
}

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
  if (statEntry(folder)?.isDirectory() !== true || findGitDir(folder) === null) return noFiles;
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

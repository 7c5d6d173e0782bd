import { join } from "node:path";
import type { Delivery } from "../checks/delivery.ts";
import { listFiltered, readAttributes } from "../git/attributes.ts";
import { isPointer, type Listing, nameListed, readPointers } from "../git/delivered-blobs.ts";
import { listTree } from "../git/list-tree.ts";
import type { GitPlace } from "../git/place.ts";
import { runGit } from "../git/run-git.ts";
import { listHidden } from "../git/sort-delivery.ts";
import { statEntry } from "../store/folder.ts";
import { hashFile } from "../store/hash-file.ts";
import { joinBytes, pathBytes, pathKey } from "../store/path-key.ts";

export interface FilteredBase {
  /** Files of the base as far as the working tree, or git-lfs, has their bytes. */
  readonly listing: Listing;
  /** Entries of the listing in place of pointers of git-lfs that the base had, and the current attributes do not know. */
  readonly former: ReadonlyMap<string, string>;
  /** Files that are taken as they are now, since nothing here has what they were. */
  readonly uncompared: Delivery["undelivered"];
}

const lfsWhy = "git-lfs does not have here what it was at the base: git lfs fetch --all";

/**
 * What the base had in place of files that a filter program makes out of what git stores: what git sees no change of is as
 * it is now, and git-lfs keeps older versions. Any other file says nothing of the base. Throws TP_GIT and TP_DISK.
 */
export async function readFilteredBase(
  place: GitPlace,
  base: string,
  listing: Listing,
  env: NodeJS.ProcessEnv,
): Promise<FilteredBase> {
  const tree = await listTree(place, base, env);
  const all = new Set([...listing.entries.keys(), ...[...tree.keys()].map((id) => pathKey(Buffer.from(id, "latin1")))]);
  const rules = [...all].filter((path) => path.endsWith(".gitattributes"));
  const areNew = rules.some((path) => {
    const [entry, blob] = [listing.entries.get(path) ?? "", tree.get(idOf(path))];
    return blob === undefined || nameListed(listing, path, entry, blob.oid.length) !== blob.oid;
  });
  const paths = rules.length > 0 ? [...all].map(pathBytes) : [];
  const options = { env, variables: {} };
  const filtered = await listFiltered(place, paths, options);
  const former = new Map<string, string>();
  if (filtered.size === 0 && !areNew) return { listing, former, uncompared: [] };
  const attributes = await readAttributes(place, paths, options);
  const [hidden, untouched] = [await listHidden(place, env), await listUntouched(place, env)];
  const [entries, files] = [new Map(listing.entries), new Map<string, Buffer>()];
  const uncompared: { path: string; why: string }[] = [];
  const differing = [...all].flatMap((path) => {
    const id = idOf(path);
    const [entry, blob] = [listing.entries.get(path), tree.get(id)];
    const isHidden = hidden.has(id);
    const isSame = entry === undefined ? isHidden : !isHidden && blob?.oid === untouched.get(id);
    return (filtered.has(id) || areNew) && !isSame ? [{ path, id, entry, blob }] : [];
  });
  const oids = differing.flatMap(({ blob }) => (blob === undefined ? [] : [blob.oid]));
  const pointers = oids.length === 0 ? new Map<string, string>() : await readPointers(place, oids, env);
  for (const { path, id, entry, blob } of differing) {
    if (filtered.has(id) && attributes.get(id)?.get("filter") !== "lfs") {
      entries.delete(path);
      continue;
    }
    const pointer = pointers.get(blob?.oid ?? "");
    if (pointer === undefined) continue;
    const isSame = pointer === entry?.split(" ")[2];
    if (!isSame && entry !== undefined && isPointer(listing.fileOf(path, ""))) {
      entries.delete(path);
      continue;
    }
    const take = (was: string) => (filtered.has(id) ? entries : former).set(path, was);
    if (entry !== undefined) take(entry);
    if (isSame) continue;
    const stored = Buffer.from(join(place.commonDir, "lfs/objects", pointer.slice(0, 2), pointer.slice(2, 4), pointer));
    const read = hashFile(stored);
    if (read.kind === "file" && read.sha256 === pointer) {
      take(`file ${blob?.mode.slice(-3)} ${pointer}`);
      files.set(path, stored);
    } else uncompared.push({ path, why: lfsWhy });
  }
  const fileOf: Listing["fileOf"] = (path, digest) => files.get(path) ?? listing.fileOf(path, digest);
  return { listing: { entries, fileOf }, former, uncompared };
}

function idOf(path: string): string {
  return pathBytes(path).toString("latin1");
}

/** A line of `git ls-files --stage --debug -z`: name, path, time of the last change and size of the file as git last saw it. */
const seen = /\d{6} ([0-9a-f]+) 0\t([^\0]+)\0 {2}ctime: (\d+):(\d+)\n[^\0]*? {2}size: (\d+)\t/g;

/** By path, as latin1: what git has for a file that nothing has changed since git wrote or read it, which takes no filter. */
async function listUntouched(place: GitPlace, env: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await runGit(place, ["ls-files", "--stage", "--debug", "-z"], { env });
  const rows = [...stdout.toString("latin1").matchAll(seen)].flatMap(([, oid = "", id = "", s, ns, size]) => {
    const stats = statEntry(joinBytes(Buffer.from(place.top), Buffer.from(id, "latin1")));
    const lateMs = (stats?.ctimeMs ?? 0) - Number(s) * 1000 - Number(ns) / 1e6;
    return Math.abs(lateMs) < clockMs && stats?.size === Number(size) ? [[id, oid] as const] : [];
  });
  return new Map(rows);
}

/** Numbers of milliseconds have so much room for parts of one. */
const clockMs = 0.001;

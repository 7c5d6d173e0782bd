import { copyFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type Delivery, deliveryFolders, entriesOf, findDelivery, type NoCode } from "../checks/delivery.ts";
import { contentsOf } from "../checks/proof/clean-copy.ts";
import { findNestedRepositories } from "../checks/proof/nested-repositories.ts";
import { isPartial } from "../git/commits.ts";
import { readEntry } from "../git/content-entries.ts";
import { findDelivered } from "../git/delivered.ts";
import { type Fingerprint, fromEntries } from "../git/fingerprint-entries.ts";
import { listDiffering } from "../git/log.ts";
import type { GitPlace } from "../git/place.ts";
import { runGit, splitNul } from "../git/run-git.ts";
import { type DeliveredFile, listHidden } from "../git/sort-delivery.ts";
import { insideOf } from "../git/stage.ts";
import { makeFolder, neverSynced } from "../store/folder.ts";
import { joinBytes, pathBytes, pathKey } from "../store/path-key.ts";
import { putFile } from "../store/put-file.ts";
import type { Origin } from "../task/origin.ts";
import { type TaskPhaseError, usageError } from "../text/errors.ts";
import { nameSome } from "../text/shorten.ts";
import { type FilteredBase, readFilteredBase } from "./filtered-base.ts";

/** A change of a repo: what it was at the base, and what it is now. */
export interface Change {
  readonly repo: string;
  readonly noCode: NoCode;
  readonly origin: Origin;
  /** What is handed over of the working tree: everything that git does not ignore. */
  readonly now: Fingerprint;
  /** Repo paths that differ, sorted. */
  readonly paths: readonly string[];
  readonly delivery: Delivery;
}

export interface ChangeRequest {
  readonly place: GitPlace;
  readonly base: string;
  /** The working tree as it was read. */
  readonly fingerprint: Fingerprint;
  /** Absolute paths that are no part of it, nor of the base. */
  readonly leaveOut: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** A private folder outside the repo. */
  readonly folder: string;
}

/** Reads both versions, each with the bytes that git gives a colleague. Throws TP_GIT and TP_DISK. */
export async function readChange(request: ChangeRequest): Promise<Change> {
  const { place, base, fingerprint, leaveOut, env, folder } = request;
  const repo = place.top;
  const noCode = { nested: findNestedRepositories(repo, fingerprint.entries.keys()), settings: [] };
  const { uncompared, ...origin } = await readBase(request, noCode);
  const listed = new Map(
    [...contentsOf(fingerprint.entries, "repo", noCode)].map(([path, { entry }]) => [path, entry]),
  );
  const differing = [...new Set([...listed.keys(), ...origin.entries.keys()])].filter(
    (path) => listed.get(path) !== origin.entries.get(path),
  );
  // A file that a sparse checkout leaves out was not deleted: the commit has it as before.
  const isGone = (path: string) => !listed.has(path);
  // What is as at the base may be otherwise in the commit.
  const committed = await listDiffering(place, [base, "HEAD"], env);
  const touched = new Set([...differing, ...committed.map(pathKey)]);
  const hidden = [...touched].some(isGone) ? await listLeftOut(place, env) : new Set<string>();
  const isLeftOut = (path: string) => isGone(path) && hidden.has(pathBytes(path).toString("latin1"));
  const changed = new Set([...touched].filter((path) => !isLeftOut(path)));
  const source = { ...{ repo, fingerprint, env, folder }, leaveOut, changed };
  const delivery = await findDelivery(
    { ...source, commits: false, handedOver: () => new Map(), start: base },
    origin,
    noCode,
  );
  const now = fromEntries(entriesOf(delivery.now));
  const paths = differing.filter((path) => now.entries.get(path) !== origin.entries.get(path)).sort();
  const undelivered = [...delivery.undelivered, ...uncompared];
  return { repo, noCode, origin, now, paths, delivery: { ...delivery, undelivered } };
}

/** Without these files the base fails for another reason than the change. */
function partialBase({ top }: GitPlace, base: string, missing: readonly string[]): TaskPhaseError {
  return usageError("TP_PROVE_BASE", `this partial clone lacks files of the base: ${nameSome(missing, 1)}`, {
    file: top,
    fix: `git diff ${base.slice(0, 12)} > /dev/null has git fetch them`,
  });
}

/** Paths, as latin1, that the index hides, and has as the commit has them: what is staged there is a change. */
async function listLeftOut(place: GitPlace, env: NodeJS.ProcessEnv): Promise<ReadonlySet<string>> {
  const hidden = await listHidden(place, env);
  if (hidden.size === 0) return hidden;
  const { stdout } = await runGit(place, ["diff-index", "--cached", "--name-only", "--no-renames", "-z", "HEAD"], {
    env,
  });
  const staged = new Set(splitNul(stdout).map((path) => path.toString("latin1")));
  return new Set([...hidden].filter((path) => !staged.has(path)));
}

/** The base as what a task calls its origin: bytes that the working tree has too are read there. */
async function readBase(
  { place, base, fingerprint, leaveOut, env, folder }: ChangeRequest,
  noCode: NoCode,
): Promise<Origin & Pick<FilteredBase, "uncompared">> {
  const own = join(folder, "base");
  const blobs = deliveryFolders(own).blobs;
  const root = Buffer.from(place.top);
  const listed = entriesOf(contentsOf(fingerprint.entries, "repo", noCode));
  const whole = { entries: listed, fileOf: (path: string) => joinBytes(root, pathBytes(path)) };
  const { listing, former, uncompared } = await readFilteredBase(place, base, whole, env);
  const { entries: delivered, tree } = await findDelivered({
    place,
    inside: Buffer.alloc(0),
    commit: base,
    listing,
    isPresent: true,
    changed: new Set(),
    commits: false,
    env,
    leaveOut: leaveOut.flatMap((path) => insideOf(place, path) ?? []),
    blobs,
    objects: join(own, "objects"),
    scratch: join(own, "git"),
  });
  const entries = new Map<string, Pick<DeliveredFile, "entry" | "isKept">>(delivered);
  for (const [path, entry] of former) entries.set(path, { entry, isKept: false });
  const files = new Map<string, string>();
  const missing = [...tree.keys()].filter((path) => tree.get(path)?.mode !== "160000" && !entries.has(path));
  if (missing.length > 0 && (await isPartial(place, env))) throw partialBase(place, base, missing);
  makeFolder(blobs, 0o700, neverSynced);
  for (const [path, { entry, isKept }] of entries) {
    const read = readEntry(entry);
    if (read === null || isKept) continue;
    const file = listing.fileOf(path, read.digest);
    const name = file.toString("utf8");
    const target = join(blobs, read.digest);
    if (read.kind === "link") putFile(target, readlinkSync(file, { encoding: "buffer" }), { durable: false });
    else if (Buffer.from(name).equals(file)) files.set(read.digest, name);
    else copyFileSync(file, target);
  }
  const kept = fromEntries(new Map([...entries].map(([path, { entry }]) => [path, entry])));
  return {
    fingerprint: kept.hash,
    entries: kept.entries,
    blobPath: (digest) => files.get(digest) ?? join(blobs, digest),
    uncompared,
  };
}

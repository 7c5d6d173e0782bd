import { join } from "node:path";
import { type Delivered, findDelivered } from "../git/delivered.ts";
import type { Listing } from "../git/delivered-blobs.ts";
import type { Fingerprint } from "../git/fingerprint-entries.ts";
import { readHead } from "../git/head.ts";
import { type Blobs, type HistoryBelow, makeHistory, newObjects } from "../git/history-below.ts";
import type { TreeEntry } from "../git/list-tree.ts";
import { findGitDir, findGitPlace } from "../git/place.ts";
import { findCommit, isOnRemote } from "../git/revision.ts";
import { findSiblings } from "../git/siblings.ts";
import type { ListedRequest } from "../git/sort-delivery.ts";
import { insideOf } from "../git/stage.ts";
import type { CheckRun } from "../rules/check-run.ts";
import { commitsIn } from "../rules/words.ts";
import { statEntry } from "../store/folder.ts";
import { joinBytes, pathBytes } from "../store/path-key.ts";
import { removeTree } from "../store/remove-tree.ts";
import { fingerprintExcludes } from "../task/fingerprint-excludes.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { Origin } from "../task/origin.ts";
import { firstCommit, isMissingPaths, pathsOfPasses } from "../task/pass-paths.ts";
import type { Anchor } from "../task/records/anchor.ts";
import type { CurrentPass } from "../task/records/anchor-shapes.ts";
import type { TaskPlace } from "../task/records/task-place.ts";
import { proofFolder } from "../task/records/work-folder.ts";
import type { TaskSession } from "../task/session.ts";
import type { ChecksRequest } from "./contract-checks.ts";
import { filterHandedOver, type HandedOver, listHandedOver } from "./handed-over.ts";
import { type CopyContents, contentsOf } from "./proof/clean-copy.ts";
import { inTop } from "./proof/in-top.ts";

/** The task and the code that are judged in clean copies. */
export interface JudgedCode extends Pick<ChecksRequest, "repo" | "pass" | "logRelative"> {
  readonly session: TaskSession;
  readonly anchor: Anchor;
  readonly current: Pick<CurrentPass, "mark" | "work_folder">;
  readonly contract: TaskContract;
  /** The code that the checks ran on, and the run in which they passed. */
  readonly fingerprint: Fingerprint;
  readonly run: CheckRun;
  /** Repo paths that this pass changed. */
  readonly changedNow: readonly string[];
}

/** The part of it that decides what is handed over. */
export type DeliveredCode = Pick<JudgedCode, "session" | "anchor" | "contract" | "repo" | "fingerprint" | "changedNow">;

/** What decides what is handed over of a repo. */
export interface DeliverySource extends Pick<ListedRequest, "env" | "changed" | "commits"> {
  readonly repo: string;
  readonly fingerprint: Pick<Fingerprint, "entries">;
  /** A private folder of the runner, for what git writes. */
  readonly folder: string;
  /** Absolute folders of which nothing is handed over as code. */
  readonly leaveOut: readonly string[];
  /** What other tasks handed over and may not be committed yet. */
  readonly handedOver: () => HandedOver;
  /** The commit below the work; null if there was none. */
  readonly start: string | null;
}

/** What is handed over, and what was there at pass 1 below it. */
export interface Delivery {
  readonly now: CopyContents;
  /** Null if this machine does not have the work as at pass 1. */
  readonly before: CopyContents | null;
  /** What makes a copy a repository; null if it is to be none. */
  readonly history: HistoryBelow | null;
  /** Paths that the repo has, and a clone would not, or with other bytes; each with its reason. */
  readonly undelivered: Delivered["undelivered"];
  /** What a commit of it contains, by repo path, with submodules; null without git, and before the first commit. */
  readonly tree: ReadonlyMap<string, TreeEntry> | null;
  /** Whether the present commit has it all. */
  readonly isCommitted: boolean;
  /** Submodules that the work moved to a commit that no remote is known to have. */
  readonly unpublished: readonly { readonly path: string; readonly commit: string }[];
  /** Repo paths that passes changed, as far as that is known. */
  readonly changed: readonly string[];
  /** Tasks whose work is below it, and in no commit. */
  readonly onTop: readonly string[];
}

export interface NoCode {
  /** Repositories of their own, and the runner's settings: neither is part of the work. */
  readonly nested: readonly string[];
  readonly settings: readonly string[];
}

/** Of a task: the paths that its passes changed, on top of the commit. */
export function sourceOf(code: DeliveredCode, origin: Origin | null): DeliverySource {
  const { session, anchor, contract, repo, fingerprint } = code;
  const { place, ports, journal } = session;
  const commits = commitsIn(contract.config.checkpoint);
  let handed: HandedOver | undefined;
  return {
    ...{ repo, fingerprint, env: ports.env },
    folder: proofFolder(anchor.folder),
    leaveOut: noCodeFolders(place, repo),
    changed: changedPaths(code, origin),
    commits,
    // A commit has all of its branch.
    handedOver: () => {
      handed ??= commits ? new Map() : listHandedOver(place, ports);
      return handed;
    },
    start: firstCommit(journal.events),
  };
}

/**
 * The tree that is handed over: the commit, with the paths that changed. Without git, and before the first commit, it is
 * all that the repo lists. Throws TP_GIT and TP_DISK.
 */
export async function findDelivery(source: DeliverySource, origin: Origin | null, noCode: NoCode): Promise<Delivery> {
  const { repo, fingerprint, env, changed, start } = source;
  const now = contentsOf(fingerprint.entries, "repo", noCode);
  const before = origin === null ? null : contentsOf(origin.entries, "origin", noCode);
  const nothing = { undelivered: [], isCommitted: false, unpublished: [], changed: [], onTop: [] };
  const whole: Delivery = { now, before, history: null, tree: null, ...nothing };
  clearFolders(source.folder);
  const place = findGitPlace(repo);
  const inside = place === null ? null : insideOf(place, repo);
  const head = place === null ? null : await readHead(place, env);
  if (place === null || inside === null || head === null) return whole;
  const at = { place, inside, commit: head.commit, isPresent: true };
  const present = await deliverOnTop(source, at, listingOf(repo, now), changed);
  if (present === null) return whole;
  const { delivered } = present;
  const handed = {
    now: contents(delivered, "repo", noCode),
    undelivered: delivered.undelivered,
    tree: delivered.tree,
    isCommitted: delivered.isCommitted,
    unpublished: [],
    changed: [...changed],
    onTop: present.tasks,
  };
  const commit = start === null || start === head.commit ? start : await findCommit(place, start, env);
  if (origin === null || before === null || commit === null) return { ...whole, ...handed };
  const listed: Listing = {
    entries: entriesOf(before),
    fileOf: (_path, digest) => Buffer.from(origin.blobPath(digest)),
  };
  const earlier = await deliverOnTop(source, { place, inside, commit, isPresent: false }, listed, new Set());
  if (earlier === null) return { ...whole, ...handed };
  const { delivered: below } = earlier;
  const onTop = [...new Set([...present.tasks, ...earlier.tasks])].sort();
  const { submodules } = delivered;
  const moved = [...submodules].filter(([path, { oid }]) => below.submodules.get(path)?.oid !== oid);
  const unpublished = await findUnpublished(repo, moved, env);
  const { fromRepo } = inTop(repo, place.top);
  const atTop = (blobs: Blobs) => new Map([...blobs].map(([path, blob]) => [fromRepo(path), blob]));
  const versions = {
    start: commit,
    before: atTop(blobsOf(below, noCode)),
    now: atTop(blobsOf(delivered, noCode)),
    submodules: atTop(submodules),
  };
  const history = await makeHistory(place, deliveryFolders(source.folder).history, versions, env);
  return { ...handed, unpublished, before: contents(below, "origin", noCode), history, onTop };
}

function listingOf(repo: string, contents: CopyContents): Listing {
  const root = Buffer.from(repo);
  return { entries: entriesOf(contents), fileOf: (path) => joinBytes(root, pathBytes(path)) };
}

async function findUnpublished(
  repo: string,
  submodules: readonly (readonly [string, TreeEntry])[],
  env: NodeJS.ProcessEnv,
): Promise<Delivery["unpublished"]> {
  const found = [];
  for (const [path, { oid }] of submodules) {
    const folder = join(repo, path);
    const place = findGitDir(folder) === null ? null : findGitPlace(folder);
    if (place !== null && !(await isOnRemote(place, oid, env))) found.push({ path, commit: oid });
  }
  return found;
}

type At = Pick<ListedRequest, "place" | "inside" | "commit" | "isPresent">;

/** Includes what other tasks handed over, since people need not commit between two tasks. */
async function deliverOnTop(source: DeliverySource, at: At, listing: Listing, changed: ReadonlySet<string>) {
  const delivered = await deliver(source, at, listing, changed);
  if (delivered === null) return null;
  const paths = new Set([...listing.entries.keys(), ...delivered.entries.keys()]);
  const differing = [...paths].filter((path) => listing.entries.get(path) !== delivered.entries.get(path)?.entry);
  if (differing.length === 0) return { delivered, tasks: [] };
  const kept = filterHandedOver(source.handedOver(), differing, listing.entries);
  if (kept.paths.size === 0) return { delivered, tasks: [] };
  const onTop = await deliver(source, at, listing, new Set([...changed, ...kept.paths]));
  return onTop === null ? null : { delivered: onTop, tasks: kept.tasks };
}

/** Null if nothing in the repo's folder was ever committed: then there is nothing to tell a person's files by. */
async function deliver(
  { folder, leaveOut: folders, commits, env }: DeliverySource,
  at: At,
  listing: Listing,
  changed: ReadonlySet<string>,
): Promise<Delivered | null> {
  const leaveOut = folders.flatMap((path) => insideOf(at.place, path) ?? []).filter((path) => path.length > 0);
  const { blobs, history, scratch } = deliveryFolders(folder);
  const places = { leaveOut, blobs, scratch, env };
  const found = await findDelivered({ ...at, ...places, listing, changed, commits, objects: newObjects(history) });
  if (found.entries.size === 0) return null;
  const beside = await findSiblings({ ...at, ...places });
  return {
    ...found,
    entries: new Map([...found.entries, ...beside.entries]),
    undelivered: [...found.undelivered, ...(at.isPresent ? beside.undelivered : [])],
  };
}

/** Absolute folders of which nothing is handed over as code. */
export function noCodeFolders(place: TaskPlace, repo: string): string[] {
  return [...fingerprintExcludes(place, repo), place.tasksRoot];
}

/** An agent of the same user may have put something there, such as a link that leads to the repo. */
function clearFolders(folder: string): void {
  if (statEntry(folder)?.isSymbolicLink() === true) removeTree(folder);
  Object.values(deliveryFolders(folder)).forEach(removeTree);
}

export function deliveryFolders(folder: string) {
  return { blobs: join(folder, "blobs"), history: join(folder, "history"), scratch: join(folder, "git") };
}

/** What passes changed; if a killed runner noted nothing, all that differs from pass 1. */
function changedPaths({ session, fingerprint, changedNow }: DeliveredCode, origin: Origin | null): ReadonlySet<string> {
  const { place, journal } = session;
  const lost = isMissingPaths(journal.events)
    ? [...fingerprint.entries].filter(([path, entry]) => origin?.entries.get(path) !== entry).map(([path]) => path)
    : [];
  return new Set([...pathsOfPasses(place, journal.events), ...changedNow, ...lost]);
}

export function entriesOf(contents: CopyContents): ReadonlyMap<string, string> {
  return new Map([...contents].map(([path, { entry }]) => [path, entry]));
}

function contents({ entries }: Delivered, from: "repo" | "origin", { settings }: NoCode): CopyContents {
  const found = [...entries].filter(([path]) => !settings.includes(path));
  return new Map(found.map(([path, { entry, isKept, blob }]) => [path, { entry, from: isKept ? "git" : from, blob }]));
}

function blobsOf({ entries, submodules }: Delivered, { settings }: NoCode): ReadonlyMap<string, TreeEntry> {
  const files = [...entries].flatMap(([path, { blob }]): [string, TreeEntry][] =>
    blob === null || settings.includes(path) ? [] : [[path, blob]],
  );
  return new Map([...files, ...submodules]);
}

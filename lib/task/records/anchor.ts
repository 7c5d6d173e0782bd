import { join } from "node:path";
import { type Fingerprint, parseEntries, serializeEntries } from "../../git/fingerprint-entries.ts";
import { neverSynced, realSoFar, removeAll, statEntry } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { openSnapshotStore, type SnapshotStore } from "../../store/snapshot.ts";
import { namesIn, openPrivateFolder, stateHome } from "../../store/state-home.ts";
import { openTreeShelf, type TreeShelf } from "../../store/tree-shelf.ts";
import { namesOfNewest, newestName } from "../../store/unit-rows.ts";
import { configError } from "../../text/errors.ts";
import { sha256 } from "../../text/sha256.ts";
import { forgetOwnWrites } from "./own-writes.ts";
import type { PassPorts } from "./ports.ts";
import { readCommit, readCurrent } from "./records.ts";
import type { TaskPlace } from "./task-place.ts";

/**
 * Copies, outside repo and tasks root, of what a pass must not change. Records the running pass, and the next event
 * before the journal has it, so that a killed run can be finished or undone.
 */
export interface Anchor {
  readonly folder: string;
  readonly store: SnapshotStore;
  readonly trees: TreeShelf;
  readonly staging: string;
}

/** Makes nothing. */
export function anchorFolder(taskDir: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(anchorsFolder(ports), anchorName(taskDir));
}

export function anchorsFolder({ env, home }: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(env, home), "tasks");
}

export function anchorName(taskDir: string): string {
  return sha256(taskDir).slice(0, 32);
}

/** Makes the anchor's folders. A config error inside the repo or the tasks root. */
export function openAnchor(place: TaskPlace, ports: Pick<PassPorts, "env" | "home">): Anchor {
  const folder = anchorFolder(place.taskDir, ports);
  refuseInside(folder, place.tasksRoot, "the tasks root");
  openPrivateFolder(folder);
  const staging = join(folder, "staging");
  const pool = join(stateHome(ports.env, ports.home), "copies");
  const trees = openTreeShelf(
    join(stateHome(ports.env, ports.home), "trees", sha256(place.tasksRoot).slice(0, 32)),
    folder,
  );
  return { folder, staging, trees, store: openSnapshotStore(join(folder, "copies"), { pool, packs: trees.packs }) };
}

/** `repo` is a real path. */
export function seenFile(repo: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(ports.env, ports.home), "seen", sha256(repo).slice(0, 32));
}

/** The state folder must lie outside what a pass may write. */
export function refuseInside(folder: string, root: string, what: string): void {
  const real = realSoFar(folder);
  if (real === root || real.startsWith(`${root}/`)) {
    throw configError("TP_STATE_HOME", `the runner's state folder is inside ${what}, where a pass can write`, {
      file: folder,
      fix: "set XDG_STATE_HOME to a folder outside the repo and the tasks root",
    });
  }
}

/** Empties the staging folder and the own writes for the next pass; durable with the pass's record. */
export function clearStaging(anchor: Anchor): void {
  removeAll(anchor.staging);
  openPrivateFolder(anchor.staging, neverSynced);
  forgetOwnWrites(anchor);
}

export function waitsForRecovery(place: Pick<TaskPlace, "taskDir">, ports: Pick<PassPorts, "env" | "home">): boolean {
  const folder = anchorFolder(place.taskDir, ports);
  return readCurrent(folder) !== null || readCommit(folder) !== null;
}

/** More than a pass takes to record its needs and name them in current.json. */
const staleMs = 60 * 60 * 1000;

/** Removes packs that no newest record names. None while a pass runs or was interrupted: it may need older ones. */
export function sweepTrees(stateHome: string): void {
  const tasks = join(stateHome, "tasks");
  if (namesIn(tasks).some((name) => statEntry(join(tasks, name, "current.json")) !== null)) return;
  for (const folder of namesIn(join(stateHome, "trees")).map((name) => join(stateHome, "trees", name))) {
    const needed = new Set([newestName, ...namesOfNewest(folder)]);
    for (const name of namesIn(folder)) {
      const stats = statEntry(join(folder, name));
      if (!needed.has(name) && stats?.isFile() === true && Date.now() - stats.mtimeMs > staleMs)
        removeAll(join(folder, name));
    }
  }
}

/**
 * Keeps the reviewed code's paths, so that a ticket can name what moved since. Durable with the anchor's next record.
 */
export function storeReviewed(anchor: Anchor, fingerprint: Fingerprint): void {
  putFile(join(anchor.folder, reviewedName), serializeEntries(fingerprint.entries), {
    mode: 0o600,
    syncs: neverSynced,
  });
}

/** Keeps what the task hands over, as `serializeEntries` writes it; the journal has its digest. */
export function storeDelivered(anchor: Anchor, entries: string): void {
  putFile(join(anchor.folder, deliveredName), entries, { mode: 0o600, syncs: neverSynced });
}

/** Null if this machine does not have what has this digest. */
export function readDelivered(anchor: Pick<Anchor, "folder">, digest: string): Fingerprint | null {
  const bytes = readLarge(anchor, deliveredName);
  return bytes === null || sha256(bytes) !== digest ? null : parseEntries(bytes.toString("utf8"));
}

/** Null if this machine never saw the accepted verify → review. */
export function readReviewed(anchor: Anchor): Fingerprint | null {
  const bytes = readLarge(anchor, reviewedName);
  return bytes === null ? null : parseEntries(bytes.toString("utf8"));
}

/** Null if this machine does not have the lines of this fingerprint. */
export function readReviewedLines(anchor: Pick<Anchor, "folder">, fingerprint: string): ReadonlySet<string> | null {
  const bytes = readLarge(anchor, reviewedName);
  return bytes === null || sha256(bytes) !== fingerprint
    ? null
    : new Set(bytes.toString("utf8").split("\n").slice(0, -1));
}

/** A task that was worked on in another folder is in this one now: what it handed over is known here too. */
export function handOnDelivered(from: string, to: string, ports: Parameters<typeof anchorFolder>[1]): void {
  const [there, here] = [from, to].map((taskDir) => ({ folder: anchorFolder(taskDir, ports) }));
  for (const name of [deliveredName, reviewedName]) {
    const bytes = there === undefined ? null : readLarge(there, name);
    if (bytes === null || here === undefined) continue;
    openPrivateFolder(here.folder);
    putFile(join(here.folder, name), bytes, { mode: 0o600, syncs: neverSynced });
  }
}

const reviewedName = "reviewed.json";
const deliveredName = "delivered.json";

function readLarge({ folder }: Pick<Anchor, "folder">, name: string): Buffer | null {
  const read = readRegularFile(join(folder, name), 1024 * 1024 * 1024);
  return read.kind === "file" ? read.bytes : null;
}

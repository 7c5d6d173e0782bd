import { dirname, join } from "node:path";
import * as v from "valibot";
import { copyCarried, findCarried } from "../checks/proof/carry.ts";
import {
  type KeptTree,
  mostNoteBytes,
  recordTree,
  sweepTree,
  type TreeNote,
  treeNote,
} from "../checks/proof/kept-tree.ts";
import { carriedByDefault } from "../documents/contract-defaults.ts";
import { readTaskFile, taskFiles } from "../documents/read-task-file.ts";
import type { GitPlace } from "../git/place.ts";
import { runGit, splitNul } from "../git/run-git.ts";
import { removeAll, statEntry } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readJsonFile } from "../store/read-file.ts";
import { clearWay } from "../store/remove-tree.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { orIfForeseen } from "../text/attempt.ts";
import { configError, TaskPhaseError } from "../text/errors.ts";
import { sha256 } from "../text/sha256.ts";
import type { ClaimPlace } from "./claim-place.ts";
import type { LocalWork } from "./local-work.ts";
import { type FilesNote, type FilesPlace, isOwn, move, saveFiles } from "./saved-files.ts";

const noteShape = v.object({
  version: v.literal(1),
  /** By the repo path of a folder. */
  folders: v.record(v.string(), treeNote),
});

/** What a pass has that the next one can use again, as it was before anything ran there. */
export interface Carried {
  /** The top of the clone, a real path. */
  readonly top: string;
  /** Notes of the carried folders, by their repo path. */
  readonly notes: ReadonlyMap<string, TreeNote>;
  /** The note of the checkout; null: it is made anew. */
  readonly files: FilesNote | null;
}

type CarriedPlace = Pick<ClaimPlace, "carried" | "carriedNote">;

/**
 * The dependencies that git ignores, from the working tree into the clone, by the same rule as for a clean copy of the
 * proof. Nothing that is written there reaches the person's own. `place`: what an earlier pass of the task had is used again,
 * as far as neither it nor the original has changed; null: all is copied. Throws a config error for one that is too large.
 */
export async function carryDependencies(
  { tree, config }: LocalWork,
  clone: GitPlace,
  { treeDir, place }: { readonly treeDir: string; readonly place: CarriedPlace | null },
  { env, signal }: Pick<PassPorts, "env" | "signal">,
): Promise<Omit<Carried, "files">> {
  const { top } = clone;
  const { stdout } = await runGit(clone, ["ls-files", "-z"], { env });
  const listed = new Set(splitNul(stdout).map(String));
  const known = place === null ? new Map<string, TreeNote>() : takeNote(place);
  const notes = new Map<string, TreeNote>();
  for (const folder of findCarried(tree.top, listed, namesOf(treeDir, config))) {
    const both = { copy: join(top, folder), origin: join(tree.top, folder) };
    const since = Date.now();
    // Where the branch has files of its own there, or the original is a link, the folder is copied each time.
    const isPlain = place !== null && statEntry(both.copy) === null && statEntry(both.origin)?.isDirectory() === true;
    const noted = known.get(folder);
    const held = isPlain && noted !== undefined ? await putBack(both, noted, keptAt(place, folder)) : {};
    const { problem } = await copyCarried({ repo: tree.top, folder, target: top, listed, pins: null, signal });
    if (problem !== null)
      throw configError("TP_CARRY", `the dependencies cannot be carried into the clone of the task: ${problem}`, {
        file: join(tree.top, folder),
        fix: "leave it out of proof.carry, and have fleet.prepare make it, such as prepare: [[npm, ci]]",
      });
    if (!isPlain) continue;
    openPrivateFolder(place.carried);
    const note = await recordTree(both, held, since, place.carried);
    if (note !== null) notes.set(folder, note);
  }
  // What is left there now is of no use.
  if (place !== null) clearWay(place.carried);
  return { top, notes };
}

/**
 * Keeps the folders of a finished pass for the next one. No process of the pass runs any more, and its verdict is
 * durable: what cannot be kept is copied again.
 */
export function saveCarried(place: CarriedPlace & FilesPlace, carried: Carried): void {
  try {
    saveFolders(place, carried);
    if (carried.files !== null) saveFiles(place, carried.top, carried.files);
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
  }
}

function saveFolders(place: CarriedPlace, { top, notes }: Carried): void {
  const kept = [...notes].filter(([folder]) => isOwn(join(top, folder)));
  if (kept.length === 0) return;
  openPrivateFolder(place.carried);
  for (const [folder] of kept) move(join(top, folder), keptAt(place, folder));
  const note = { version: 1, folders: Object.fromEntries(kept) };
  putFile(place.carriedNote, JSON.stringify(note), { mode: 0o600, durable: false });
}

export function dropCarried({ carried, carriedNote }: CarriedPlace): void {
  clearWay(carried);
  removeAll(carriedNote);
}

/** A note is good for one pass: what is in the clone then gets another one. */
function takeNote({ carriedNote }: CarriedPlace): ReadonlyMap<string, TreeNote> {
  const read = readJsonFile(carriedNote, noteShape, mostNoteBytes);
  removeAll(carriedNote);
  return new Map(read.kind === "read" ? Object.entries(read.value.folders) : []);
}

function keptAt({ carried }: CarriedPlace, folder: string): string {
  return join(carried, sha256(folder).slice(0, 16));
}

async function putBack(both: KeptTree, noted: TreeNote, kept: string): Promise<TreeNote> {
  if (statEntry(kept)?.isDirectory() !== true || !isOwn(dirname(both.copy))) return {};
  move(kept, both.copy);
  const held = await sweepTree(both, noted);
  if (held === null) clearWay(both.copy);
  return held ?? {};
}

/** The names in the brief; the pass itself reports an unreadable one. */
function namesOf(treeDir: string, { defaults }: LocalWork["config"]): readonly string[] {
  return orIfForeseen(() => readTaskFile(taskFiles.brief, treeDir, defaults).contract.proof.carry, carriedByDefault);
}

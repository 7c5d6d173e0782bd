import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { mostNoteBytes, recordTree, sweepTree, treeNote } from "../checks/proof/kept-tree.ts";
import type { GitSettings } from "../git/git-settings.ts";
import { bootId } from "../process/identity.ts";
import { storing } from "../store/error-code.ts";
import { realOrNull, removeAll, statEntry } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readJsonFile, readText } from "../store/read-file.ts";
import { clearWay } from "../store/remove-tree.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { sha256 } from "../text/sha256.ts";
import type { ClaimPlace } from "./claim-place.ts";

const noteShape = v.object({
  version: v.literal(1),
  /** Files that were never synced are what they were only until the machine starts again. */
  boot: v.string(),
  /** What git wrote them by. */
  settings: v.string(),
  /** Git's index for exactly these files, as base64. */
  index: v.string(),
  tree: treeNote,
});

/** What a checkout wrote, as it was before anything ran there. */
export type FilesNote = v.InferOutput<typeof noteShape>;

export type FilesPlace = Pick<ClaimPlace, "clone" | "files" | "filesNote">;

export interface Keeping {
  readonly place: FilesPlace;
  /** As of `writingSettings`. */
  readonly settings: string;
}

/**
 * Puts the files of the task's last checkout where its clone is to be, but for those that are not as git wrote them: only
 * the kernel sets the time of a file's last change, so a pass can hide nothing that it wrote. Null: there is nothing that
 * can be used again.
 */
export async function takeFiles({ place, settings }: Keeping): Promise<FilesNote | null> {
  const { clone, files, filesNote } = place;
  const read = readJsonFile(filesNote, noteShape, mostNoteBytes);
  // A note is good for one pass: what is in the clone then gets another one.
  removeAll(filesNote);
  const note = read.kind === "read" ? read.value : null;
  if (note === null || note.boot !== bootId() || note.settings !== settings) return null;
  if (statEntry(files)?.isDirectory() !== true) return null;
  move(files, clone);
  const tree = await sweepTree({ copy: clone, origin: null }, note.tree);
  return tree === null ? null : { ...note, tree };
}

/**
 * Has git check out into a clone in which nothing has run, over the files that are `held`. Gives a note of all of them, for
 * the next pass; null if they cannot be used again.
 */
export async function checkOutOver(
  keeping: Keeping,
  held: FilesNote | null,
  checkOut: (...words: readonly string[]) => Promise<void>,
): Promise<FilesNote | null> {
  const { clone } = keeping.place;
  if (held === null) {
    await checkOut();
    return await recordFiles(keeping);
  }
  const index = join(clone, ".git", "index");
  try {
    writeFileSync(index, Buffer.from(held.index, "base64"));
    await checkOut("-f");
    const files = await recordFiles(keeping);
    if (files !== null && attributesOf(files) === attributesOf(held)) return files;
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
  }
  for (const name of readdirSync(clone)) if (name !== ".git") clearWay(join(clone, name));
  removeAll(index);
  await checkOut("-f");
  return await recordFiles(keeping);
}

async function recordFiles({ place: { clone, files }, settings }: Keeping): Promise<FilesNote | null> {
  const boot = bootId();
  if (boot === "") return null;
  openPrivateFolder(files);
  const all = await recordTree({ copy: clone, origin: null }, {}, Date.now(), files);
  if (all === null) return null;
  const tree = Object.fromEntries(Object.entries(all).filter(([path]) => !/^\.git(\/|$)/.test(path)));
  return { version: 1, boot, settings, index: readFileSync(join(clone, ".git", "index"), "base64"), tree };
}

/** What git writes files by; null: programs make them, or their index is not one file, and then none are kept. */
export function writingSettings({ own }: GitSettings, env: NodeJS.ProcessEnv): string | null {
  if (own.some(([key]) => /^(filter\..*|core\.attributesfile|core\.splitindex)$/i.test(key))) return null;
  const folder = env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), ".config");
  return sha256(JSON.stringify([own, readText(join(folder, "git", "attributes"), mostNoteBytes)]));
}

/** What git makes of a file may follow from them, and with others every file is written anew. */
function attributesOf({ tree }: FilesNote): string {
  const rules = Object.entries(tree).filter(([path]) => /(^|\/)\.gitattributes$/.test(path));
  return JSON.stringify(rules.sort());
}

/** Puts the files of a pass that is over aside, without their repository. Throws TP_DISK. `top`: a real path. */
export function saveFiles({ files, filesNote }: FilesPlace, top: string, note: FilesNote): void {
  if (!isOwn(top)) return;
  clearWay(join(top, ".git"));
  move(top, files);
  putFile(filesNote, JSON.stringify(note), { mode: 0o600, durable: false });
}

export function dropFiles({ files, filesNote }: Pick<FilesPlace, "files" | "filesNote">): void {
  clearWay(files);
  removeAll(filesNote);
}

/** No link, which an agent may have put into its path, leads to a folder of the person's. */
export function isOwn(path: string): boolean {
  return statEntry(path)?.isDirectory() === true && realOrNull(path) === path;
}

export function move(from: string, to: string): void {
  clearWay(to);
  storing("move", from, () => renameSync(from, to));
}

import { ftruncateSync, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PartialContract } from "../../documents/contract-schema.ts";
import { isFile, type TreeEntry } from "../../git/list-tree.ts";
import type { GitObjects } from "../../git/objects.ts";
import { findClaim, type OpenClaim } from "../../rules/claim.ts";
import { storing } from "../../store/error-code.ts";
import { withFile } from "../../store/with-file.ts";
import { countEvents, maxJournalBytes, readTaskJournal } from "../../task/records/task-journal.ts";
import { placeOf } from "../../task/records/task-place.ts";
import { dataError, TaskPhaseError } from "../../text/errors.ts";
import { emptyList, type RootList, type Row, readPending } from "../listing/list-root.ts";
import type { TaskVersion } from "./branch-versions.ts";

/** No reader of one of these files takes a larger one. */
const maxFileBytes = 4 * 1024 * 1024;

/**
 * Reads one task as a list reads it from disk: its files are put into `folder`, which must not exist, and removed
 * again. Only regular files of the commit are written, so no link leads anywhere.
 */
export async function readBranchRow(
  folder: string,
  version: TaskVersion,
  defaults: PartialContract,
  read: GitObjects["read"],
): Promise<{ readonly row: Row; readonly claim: OpenClaim | null; readonly seq: number }> {
  const place = placeOf(folder);
  const list: RootList = {
    ...emptyList(place.tasksRoot),
    rows: [{ kind: "pending", name: place.name }],
    stamps: [null],
  };
  try {
    await putFiles(folder, version, read);
    readPending(list, defaults);
    const [row] = list.rows;
    if (row === undefined || row.kind !== "read") return { row: settle(row, place.name, folder), claim: null, seq: 0 };
    const { unfinishedPass, claimed } = row.files.history;
    const isOpen = unfinishedPass !== null || claimed !== null;
    const claim = isOpen ? findClaim(readTaskJournal(place.journal)?.events ?? []) : null;
    return { row, claim, seq: countEvents(place) };
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return { row: failedRow(place.name, error), claim: null, seq: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function failedRow(name: string, error: unknown): Row {
  return { kind: "failed", name, error, told: null, needed: null, isDone: () => false };
}

/** What the row would look up later is looked up now, as long as the files are there. */
function settle(row: Row | undefined, name: string, folder: string): Row {
  if (row?.kind !== "failed") return failedRow(name, new Error("the task was not read"));
  try {
    const done = row.isDone(placeOf(folder));
    return { ...row, isDone: () => done };
  } catch (error) {
    const rethrow = () => {
      throw error;
    };
    return { ...row, isDone: rethrow };
  }
}

async function putFiles(folder: string, { files, branch }: TaskVersion, read: GitObjects["read"]): Promise<void> {
  make(folder, () => mkdirSync(folder, { mode: 0o700 }));
  // A folder comes before what is in it, so that nothing is put into what only has its name.
  for (const [file, entry] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (file.includes("/") && files.has(dirname(file))) continue;
    const path = join(folder, file);
    const limit = file.endsWith("journal.jsonl") ? maxJournalBytes : maxFileBytes;
    const object = isFile(entry) ? await read(entry.oid, limit) : null;
    if (object?.kind === "missing") throw notHere(file, branch.ref);
    make(path, () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      if (object === null) putOther(path, entry);
      else if (object.kind === "blob") writeFileSync(path, object.bytes, { flag: "wx", mode: 0o600 });
      // So large that no reader takes it, of no block on the disk.
      else withFile(openSync(path, "wx", 0o600), (descriptor) => ftruncateSync(descriptor, limit + 1));
    });
  }
}

/** A link that leads nowhere, or a folder in the place of a submodule. */
function putOther(path: string, { mode }: TreeEntry): void {
  if (mode === "120000") symlinkSync("a-link-in-git", path);
  else mkdirSync(path, { mode: 0o700 });
}

function make(path: string, put: () => void): void {
  storing("write", path, put);
}

function notHere(file: string, ref: string): TaskPhaseError {
  return dataError("TP_GIT_OBJECT", `${file} of ${ref} is not in this repository`, {
    fix: "clone without --filter, or fetch again; git fsck says what is missing",
  });
}

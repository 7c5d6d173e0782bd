import { dirname } from "node:path";
import { decodeCacheFile, writeCacheFile } from "../store/cache-file.ts";
import { neverSynced } from "../store/folder.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { beginWith, seenIn } from "./fingerprint.ts";
import { recallTracked, rememberTracked } from "./list-names.ts";
import { figuresPerFile } from "./seen-files.ts";

/** Raise it when an entry or a figure changes meaning. */
const version = 1;
/** Some 400,000 files. Gone files are never removed, so it starts anew at this size. */
const mostBytes = 64 * 1024 * 1024;
/** Reading fewer files again costs less than writing all rows. */
const worthWriting = 64;
const figureBytes = Float64Array.BYTES_PER_ELEMENT;

interface Head {
  readonly files: number;
  readonly tracked: { readonly key: string; readonly bytes: number } | null;
}

const cacheOf = (path: string, repo: string) => ({ path, key: [version, repo], mostBytes });

/** A line of JSON, the figures of the files, the tracked paths, and the files as JSON. `repo` is a real path. */
export function recallSeen(file: string, repo: string): void {
  if (seenIn(repo) !== null) return;
  decodeCacheFile(cacheOf(file, repo), (read) => recall(read, repo));
}

function recall(read: Buffer, repo: string): void {
  const end = read.indexOf("\n");
  const head = JSON.parse(read.toString("utf8", 0, end)) as Head;
  const list = end + 1 + head.files * figuresPerFile * figureBytes;
  const rest = list + (head.tracked?.bytes ?? 0);
  // Copied, since numbers have to be aligned.
  const figures = new Float64Array(new Uint8Array(read.subarray(end + 1, list)).buffer);
  beginWith(repo, { figures, files: JSON.parse(read.toString("utf8", rest)) as [string, string][] });
  if (head.tracked !== null) rememberTracked(head.tracked.key, read.subarray(list, rest));
}

/** Saves what was seen, if enough is new. A failure only costs the next process time. */
export function saveSeen(file: string, repo: string): void {
  const seen = seenIn(repo);
  if (seen === null) return;
  const { rows, news } = seen.list();
  const { files, figures } = rows;
  if (news === 0 || news * worthWriting < files.length) return;
  const tracked = recallTracked(repo);
  const about = tracked === null ? null : { key: tracked.key, bytes: tracked.list.length };
  const head: Head = { files: files.length, tracked: about };
  try {
    openPrivateFolder(dirname(file), neverSynced);
  } catch (error) {
    if (error instanceof TaskPhaseError) return;
    throw error;
  }
  const isWritten = writeCacheFile(cacheOf(file, repo), [
    `${JSON.stringify(head)}\n`,
    new Uint8Array(figures.buffer, figures.byteOffset, figures.byteLength),
    tracked?.list ?? "",
    JSON.stringify(files),
  ]);
  if (isWritten) seen.markSaved();
}

import { dirname } from "node:path";
import { TaskPhaseError } from "../report/errors.ts";
import { readCacheFile, writeCacheFile } from "../store/cache-file.ts";
import { neverSynced } from "../store/folder.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { beginWith, seenIn } from "./fingerprint.ts";
import { recallTracked, rememberTracked } from "./list-names.ts";
import { figuresPerFile } from "./seen-files.ts";

/** To be raised when an entry of a fingerprint or a figure gets another meaning. */
const version = 1;
/** Some 400,000 files. Files that are gone are never taken out, so it begins anew when it has grown this large. */
const mostBytes = 64 * 1024 * 1024;
/** To read fewer files than one of so many again costs less than to write all that is known. */
const worthWriting = 64;
const figureBytes = Float64Array.BYTES_PER_ELEMENT;

interface Head {
  readonly files: number;
  readonly tracked: { readonly key: string; readonly bytes: number } | null;
}

const cacheOf = (path: string, repo: string) => ({ path, key: [version, repo], mostBytes });

/**
 * What was seen of a repo, a real path, for the next process: a line of JSON, the figures of the files, the list of
 * tracked paths, and the files as JSON.
 */
export function recallSeen(file: string, repo: string): void {
  if (seenIn(repo) !== null) return;
  const read = readCacheFile(cacheOf(file, repo));
  if (read === null) return;
  const end = read.indexOf("\n");
  const head = JSON.parse(read.toString("utf8", 0, end)) as Head;
  const figures = new Float64Array(head.files * figuresPerFile);
  const list = end + 1 + figures.length * figureBytes;
  const rest = list + (head.tracked?.bytes ?? 0);
  read.copy(new Uint8Array(figures.buffer), 0, end + 1, list);
  beginWith(repo, { figures, files: JSON.parse(read.toString("utf8", rest)) as [string, string][] });
  if (head.tracked !== null) rememberTracked(head.tracked.key, read.subarray(list, rest));
}

/** Keeps what was seen, if enough of it is new. What fails only costs the next process its time. */
export function keepSeen(file: string, repo: string): void {
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
  if (isWritten) seen.noteKept();
}

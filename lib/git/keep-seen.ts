import { dirname } from "node:path";
import { TaskPhaseError } from "../report/errors.ts";
import { neverSynced } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readCache } from "../store/read-file.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { sha256 } from "../text/sha256.ts";
import { beginWith, seenIn } from "./fingerprint.ts";
import { recallTracked, rememberTracked } from "./list-names.ts";
import { figuresPerFile } from "./seen-files.ts";

/** To be raised when an entry of a fingerprint or a figure gets another meaning. */
const version = 1;
/** Some 400,000 files. Files that are gone are never taken out, so it begins anew when it has grown this large. */
const mostBytes = 64 * 1024 * 1024;
/** To read fewer files than one of so many again costs less than to write all that is known. */
const worthWriting = 64;
const hashLength = 64;
const figureBytes = Float64Array.BYTES_PER_ELEMENT;

interface Head {
  readonly version: number;
  readonly repo: string;
  readonly files: number;
  readonly tracked: { readonly key: string; readonly bytes: number } | null;
}

/**
 * What was seen of a repo, a real path, for the next process: the digest of the rest, a line of JSON, the figures of the files, the
 * list of tracked paths, and the files as JSON. No truth: without it, or if it is damaged, everything is read.
 */
export function recallSeen(file: string, repo: string): void {
  if (seenIn(repo) !== null) return;
  const read = readCache(file, mostBytes);
  if (read === null || read.toString("latin1", 0, hashLength) !== sha256(read.subarray(hashLength))) return;
  const end = read.indexOf("\n");
  const head = JSON.parse(read.toString("utf8", hashLength, end)) as Head;
  if (head.version !== version || head.repo !== repo) return;
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
  const head: Head = { version, repo, files: files.length, tracked: about };
  const body = Buffer.concat([
    Buffer.from(`${JSON.stringify(head)}\n`),
    new Uint8Array(figures.buffer, figures.byteOffset, figures.byteLength),
    tracked?.list ?? Buffer.alloc(0),
    Buffer.from(JSON.stringify(files)),
  ]);
  try {
    openPrivateFolder(dirname(file), neverSynced);
    putFile(file, Buffer.concat([Buffer.from(sha256(body), "latin1"), body]), { mode: 0o600, durable: false });
    seen.noteKept();
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
  }
}

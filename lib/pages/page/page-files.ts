import { passPath } from "../../documents/pass-pack.ts";
import type { ArtifactRow } from "../files/list-artifacts.ts";
import type { EvidenceModel } from "../model/build-model.ts";
import { couldBeImage, type ImageType, imageLimits, imageTypeOf, magicBytes } from "./images.ts";
import { type LogText, readLogText } from "./page-log.ts";
import { type PageRead, pathOfHref, readStart, readTail, readWhole } from "./page-read.ts";

export interface PagePatch {
  readonly title: string;
  /** Relative to the task folder. */
  readonly path: string;
  /** Only the pack has it. */
  readonly packed?: boolean;
  readonly read: PageRead<{ readonly text: string }>;
}

export interface PageLog {
  readonly name: string;
  readonly path: string;
  /** Only the pack has it. */
  readonly packed?: boolean;
  /** Of a check that did not pass. */
  readonly failed: boolean;
  /** Shown before the others if not all can be, and more of it. */
  readonly urgent: boolean;
  readonly read: PageRead<{ readonly size: number; readonly log: LogText }>;
}

export interface PageImage {
  readonly row: ArtifactRow;
  readonly type: ImageType;
  /** Null if it is too big to be in the page. */
  readonly bytes: Buffer | null;
}

/** The files that the page shows: read once, redacted, and cut if they are too long to read. */
export interface PageFiles {
  readonly patches: readonly PagePatch[];
  readonly logs: readonly PageLog[];
  readonly images: readonly PageImage[];
}

export const noPageFiles: PageFiles = { patches: [], logs: [], images: [] };

const patchBytes = 6 * 1024 * 1024;
/** Of a check that failed, and of the model; one that passed says less. */
const logBytes = 64 * 1024;
const passedLogBytes = 16 * 1024;
/** Read before what is shown, so that a secret at the cut is seen whole: as much as a redactor holds back. */
const leadBytes = 64 * 1024;
const peekedFiles = 2000;

/**
 * Only regular files under artifacts/ that were listed are opened, and no link is followed. Does not throw for them.
 */
export function readPageFiles(taskDir: string, model: EvidenceModel, redact: (text: string) => string): PageFiles {
  const rows = new Map([...model.runnerArtifacts, ...model.artifacts].map((row) => [row.path, row]));
  const at = (path: string) => {
    const row = rows.get(path);
    return row === undefined ? null : pathOfHref(taskDir, row.href);
  };
  const isPacked = (path: string) => !rows.has(path) && model.packed.has(path);
  return {
    patches: model.patches.map(({ pass, whole, path }) => ({
      title: whole ? `The task as it was after pass ${pass}` : `Pass ${pass}`,
      path,
      packed: isPacked(path),
      read: readPatch(at(path), model.packed.get(path), redact),
    })),
    logs: listLogs(model, rows).map((log) => {
      const most = log.urgent ? logBytes : passedLogBytes;
      return {
        ...log,
        packed: isPacked(log.path),
        read: readLog(at(log.path), model.packed.get(log.path), most, redact),
      };
    }),
    images: readImages(taskDir, model.artifacts),
  };
}

/** Logs of the newest run of the checks, failed ones first, then the output of the newest model. */
function listLogs({ checks, passes }: EvidenceModel, rows: ReadonlyMap<string, ArtifactRow>) {
  const results = checks?.results ?? [];
  const newest = passes.at(-1);
  const output = newest === undefined ? [] : ["stderr", "stdout"];
  return [
    ...results.map(({ name, log, status }) => {
      return { name, path: log, failed: status !== "pass", urgent: status !== "pass" };
    }),
    ...output.flatMap((stream) => {
      const path = `${passPath(newest?.pass ?? 0)}/${stream}.log`;
      const row = rows.get(path);
      // Most models say nothing on stderr.
      if (row === undefined || (stream === "stderr" && row.size === 0)) return [];
      return [{ name: `${stream} of the model, pass ${newest?.pass}`, path, failed: false, urgent: true }];
    }),
  ];
}

function readPatch(
  path: Buffer | null,
  packed: string | undefined,
  redact: (text: string) => string,
): PagePatch["read"] {
  if (path === null && packed !== undefined) return { text: redact(packed) };
  if (path === null) return { problem: "no longer exists" };
  const read = readWhole(path, patchBytes);
  return "problem" in read ? read : { text: redact(read.bytes.toString("utf8")) };
}

function readLog(
  path: Buffer | null,
  packed: string | undefined,
  most: number,
  redact: (text: string) => string,
): PageLog["read"] {
  if (path === null && packed !== undefined)
    return { size: Buffer.byteLength(packed), log: lastPart(readLogText(packed, 1, redact), most) };
  if (path === null) return { problem: "no longer exists" };
  const tail = readTail(path, most + leadBytes);
  if ("problem" in tail) return tail;
  const { bytes, offset, size, linesBefore } = tail;
  // The rest of a line that began before the cut is not a line unless there is nothing else.
  const lineEnd = offset === 0 ? -1 : bytes.indexOf(0x0a);
  const from = lineEnd + 1;
  const log = readLogText(bytes.subarray(from).toString("utf8"), linesBefore + 1 + (from > 0 ? 1 : 0), redact);
  return { size, log: lastPart(log, most) };
}

/** Without what was read only for the sake of secrets; of one line that is longer than all, its last part. */
function lastPart(log: LogText, most: number): LogText {
  let left = most;
  let from = log.lines.length;
  while (from > 0) {
    const length = (log.lines[from - 1] ?? "").length + 1;
    if (left < length) break;
    left -= length;
    from -= 1;
  }
  const lines = log.lines.slice(from);
  if (lines.length > 0 || from === 0) return { lines, firstLine: log.firstLine + from };
  return { lines: [(log.lines.at(-1) ?? "").slice(-most)], firstLine: log.firstLine + from - 1 };
}

function readImages(taskDir: string, rows: readonly ArtifactRow[]): PageImage[] {
  let left: number = imageLimits.all;
  let count = 0;
  return rows
    .filter((row) => couldBeImage(row.path))
    .slice(0, peekedFiles)
    .flatMap((row): PageImage[] => {
      const path = pathOfHref(taskDir, row.href);
      const start = readStart(path, magicBytes);
      const type = start === null ? null : imageTypeOf(start);
      if (type === null) return [];
      if (row.size > Math.min(imageLimits.each, left) || count >= imageLimits.count)
        return [{ row, type, bytes: null }];
      const read = readWhole(path, imageLimits.each);
      // It can have become something else since it was listed.
      if ("problem" in read || imageTypeOf(read.bytes) !== type) return [{ row, type, bytes: null }];
      left -= read.bytes.length;
      count += 1;
      return [{ row, type, bytes: read.bytes }];
    });
}

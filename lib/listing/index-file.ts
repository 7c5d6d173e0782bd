import { closeSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { refuseInside } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { putFile } from "../store/put-file.ts";
import { openRegularFile } from "../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { sha256 } from "../text/sha256.ts";
import { openDecoder, openEncoder } from "./encode-rows.ts";
import type { KeptConfig } from "./kept-config.ts";
import type { IndexedRow } from "./listed-files.ts";
import { madeWith } from "./made-with.ts";
import { stampLength } from "./stamp.ts";

/** The rows of a tasks root by name, and their figures one behind the other. */
export interface ListIndex {
  readonly config: KeptConfig | null;
  /** The defaults of the configuration that the rows were made with, as JSON. */
  readonly defaults: string;
  readonly rows: readonly IndexedRow[];
  readonly figures: Float64Array;
}

export interface IndexedRoot {
  readonly tasksRoot: string;
  /** The repository that it is in, or the tasks root itself. */
  readonly top: string;
}

/**
 * The index of a tasks root: in the state folder of this user, beside whatever else a pass must not reach, since a list
 * believes it. It is no truth: without it, or if it is damaged, every file is read again.
 */
function indexPath(tasksRoot: string, { env, home }: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(env, home), "lists", sha256(tasksRoot).slice(0, 32));
}

/** What ends the file, in front of its own digest and length. Before it are the parts, one behind the other. */
interface Foot extends Pick<ListIndex, "config" | "defaults"> {
  readonly madeWith: string;
  /** Of all parts. */
  readonly figures: number;
  readonly texts: readonly string[];
  readonly parts: readonly Part[];
}

/** Some rows: their figures, then their JSON, of so many bytes. */
type Part = readonly [figures: number, json: number, sha256: string];

/** Few enough that what is made of a part is soon forgotten, many enough that there are few parts. */
const rowsEach = 512;
const figureBytes = Float64Array.BYTES_PER_ELEMENT;
const mostBytes = 512 * 1024 * 1024;
const hashLength = 64;
const endLength = hashLength + 16;

/** Null if there is none of this version of the program, or if it is not whole. */
export function readIndex(tasksRoot: string, ports: Pick<PassPorts, "env" | "home">): ListIndex | null {
  const opened = openRegularFile(indexPath(tasksRoot, ports));
  if (opened.kind !== "open") return null;
  const { descriptor, stats } = opened;
  try {
    return stats.size > mostBytes ? null : readParts(descriptor, stats.size);
  } finally {
    closeSync(descriptor);
  }
}

/** Part for part, so that no more than the rows themselves is ever held. */
function readParts(descriptor: number, size: number): ListIndex | null {
  const foot = readFoot(descriptor, size);
  if (foot === null) return null;
  const figures = new Float64Array(foot.figures);
  const numbers = new Uint8Array(figures.buffer);
  const decode = openDecoder(foot.texts);
  const rows: IndexedRow[] = [];
  let room = Buffer.alloc(0);
  let [at, filled] = [0, 0];
  for (const [count, json, digest] of foot.parts) {
    const [split, length] = [count * figureBytes, count * figureBytes + json];
    if (room.length < length) room = Buffer.allocUnsafe(length * 2);
    const part = readPiece(descriptor, room.subarray(0, length), at);
    if (part === null || sha256(part) !== digest) return null;
    filled += part.copy(numbers, filled, 0, split);
    for (const row of decode(part.toString("utf8", split))) rows.push(row);
    at += length;
  }
  return { config: foot.config, defaults: foot.defaults, figures, rows };
}

function readFoot(descriptor: number, size: number): Foot | null {
  const end = size < endLength ? null : readPiece(descriptor, Buffer.alloc(endLength), size - endLength);
  const length = Number(end?.toString("latin1", hashLength));
  if (end === null || !Number.isSafeInteger(length) || length <= 0 || length > size - endLength) return null;
  const bytes = readPiece(descriptor, Buffer.alloc(length), size - endLength - length);
  if (bytes === null || sha256(bytes) !== end.toString("latin1", 0, hashLength)) return null;
  const foot = JSON.parse(bytes.toString("utf8")) as Foot;
  return foot.madeWith === madeWith() ? foot : null;
}

/** Null: the disk cannot give all of it. */
function readPiece(descriptor: number, room: Buffer, at: number): Buffer | null {
  try {
    return readSync(descriptor, room, 0, room.length, at) === room.length ? room : null;
  } catch {
    return null;
  }
}

/**
 * Puts the index in place, unless that is inside `top`, where a pass can write. What keeps it from being written, such
 * as a full disk, only costs the next list its time.
 */
export function writeIndex(
  { tasksRoot, top }: IndexedRoot,
  index: ListIndex,
  ports: Pick<PassPorts, "env" | "home">,
): void {
  const path = indexPath(tasksRoot, ports);
  try {
    refuseInside(path, top, "the repo");
    openPrivateFolder(dirname(path));
    putFile(path, piecesOf(index), { mode: 0o600 });
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
  }
}

function* piecesOf({ config, defaults, rows, figures }: ListIndex): Generator<Uint8Array, void> {
  const { encode, texts } = openEncoder();
  const parts: Part[] = [];
  let filled = 0;
  for (let from = 0; from < rows.length; from += rowsEach) {
    const some = rows.slice(from, from + rowsEach);
    const count = some.reduce((sum, { present }) => sum + stampLength(present), 0);
    const numbers = figures.subarray(filled, filled + count);
    const bytes = Buffer.concat([new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), encode(some)]);
    parts.push([count, bytes.length - numbers.byteLength, sha256(bytes)]);
    yield bytes;
    filled += count;
  }
  const about: Foot = { madeWith: madeWith(), config, defaults, figures: figures.length, texts: texts(), parts };
  const foot = Buffer.from(JSON.stringify(about));
  yield foot;
  yield Buffer.from(`${sha256(foot)}${String(foot.length).padStart(endLength - hashLength)}`);
}

import { dirname, join } from "node:path";
import { refuseInside } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { sha256 } from "../text/sha256.ts";
import { decodeRows, encodeRows } from "./encode-rows.ts";
import type { KeptConfig } from "./kept-config.ts";
import type { IndexedRow } from "./listed-files.ts";
import { madeWith } from "./made-with.ts";

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

interface Head extends Pick<ListIndex, "config" | "defaults"> {
  readonly madeWith: string;
  /** How many. */
  readonly figures: number;
}

const mostBytes = 512 * 1024 * 1024;
const hashLength = 64;

/** Null if there is none of this version of the program, or if it is not whole. */
export function readIndex(tasksRoot: string, ports: Pick<PassPorts, "env" | "home">): ListIndex | null {
  const read = readRegularFile(indexPath(tasksRoot, ports), mostBytes);
  if (read.kind !== "file" || read.bytes.length <= hashLength) return null;
  const body = read.bytes.subarray(hashLength);
  if (read.bytes.toString("latin1", 0, hashLength) !== sha256(body)) return null;
  const end = body.indexOf("\n");
  const head = JSON.parse(body.toString("utf8", 0, end)) as Head;
  if (head.madeWith !== madeWith()) return null;
  const from = end + 1;
  const until = from + head.figures * Float64Array.BYTES_PER_ELEMENT;
  const figures = new Float64Array(head.figures);
  body.copy(new Uint8Array(figures.buffer), 0, from, until);
  return { config: head.config, defaults: head.defaults, figures, rows: decodeRows(body.subarray(until)) };
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
  const { config, defaults, rows, figures } = index;
  const about: Head = { madeWith: madeWith(), config, defaults, figures: figures.length };
  const head = Buffer.from(`${" ".repeat(hashLength)}${JSON.stringify(about)}\n`);
  const numbers = new Uint8Array(figures.buffer, figures.byteOffset, figures.byteLength);
  const bytes = Buffer.concat([head, numbers, ...encodeRows(rows)]);
  bytes.write(sha256(bytes.subarray(hashLength)), 0, "latin1");
  const path = indexPath(tasksRoot, ports);
  try {
    refuseInside(path, top, "the repo");
    openPrivateFolder(dirname(path));
    putFile(path, bytes, { mode: 0o600 });
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
  }
}

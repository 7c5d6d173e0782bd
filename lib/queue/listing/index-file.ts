import { dirname, join } from "node:path";
import { packageVersion } from "../../documents/templates/package-files.ts";
import { type CacheFile, decodeCacheFile, writeCacheFile } from "../../store/cache-file.ts";
import { openPrivateFolder, stateHome } from "../../store/state-home.ts";
import { refuseInside } from "../../task/records/anchor.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { sha256 } from "../../text/sha256.ts";
import type { KeptConfig } from "./kept-config.ts";
import type { IndexedRow, ListedFiles } from "./listed-files.ts";

/** The rows of a tasks root by name, and their figures one behind the other. */
export interface ListIndex {
  readonly config: KeptConfig | null;
  /** The defaults of the configuration that the rows were made with, as JSON. */
  readonly defaults: string;
  readonly rows: readonly IndexedRow[];
  readonly figures: Float64Array;
}

/** To be raised with every change of what an index says of the same files. */
const indexVersion = 11;
const mostBytes = 512 * 1024 * 1024;
/** Few enough that what is made of a part is soon forgotten, many enough that there are few parts. */
const rowsEach = 512;

/**
 * The index of a tasks root: in the state folder of this user, beside whatever else a pass must not reach, since a list
 * believes it.
 */
function cacheOf(tasksRoot: string, { env, home }: Pick<PassPorts, "env" | "home">): CacheFile {
  const path = join(stateHome(env, home), "lists", sha256(tasksRoot).slice(0, 32));
  return { path, key: [indexVersion, packageVersion()], mostBytes };
}

/** The first line. After it are the figures, and the rows as JSON, some at a time. */
interface Head extends Pick<ListIndex, "config" | "defaults"> {
  readonly figures: number;
  /** Bytes of each part. */
  readonly parts: readonly number[];
}

/** Null if there is none of this version of the program. */
export function readIndex(tasksRoot: string, ports: Pick<PassPorts, "env" | "home">): ListIndex | null {
  return decodeCacheFile(cacheOf(tasksRoot, ports), decodeIndex);
}

function decodeIndex(read: Buffer): ListIndex {
  let at = read.indexOf("\n") + 1;
  const { config, defaults, figures: count, parts } = JSON.parse(read.toString("utf8", 0, at)) as Head;
  const end = at + count * Float64Array.BYTES_PER_ELEMENT;
  const figures = new Float64Array(new Uint8Array(read.subarray(at, end)).buffer);
  at = end;
  const rows: IndexedRow[] = [];
  for (const length of parts) {
    for (const row of decodeRows(read.toString("utf8", at, at + length))) rows.push(row);
    at += length;
  }
  return { config, defaults, figures, rows };
}

/** Puts the index in place, unless that is inside `top`, the repository of the tasks root, where a pass can write. */
export function writeIndex(
  { tasksRoot, top }: { readonly tasksRoot: string; readonly top: string },
  { config, defaults, rows, figures }: ListIndex,
  ports: Pick<PassPorts, "env" | "home">,
): void {
  const cache = cacheOf(tasksRoot, ports);
  try {
    refuseInside(cache.path, top, "the repo");
    openPrivateFolder(dirname(cache.path));
  } catch (error) {
    if (error instanceof TaskPhaseError) return;
    throw error;
  }
  const parts: Buffer[] = [];
  for (let from = 0; from < rows.length; from += rowsEach) {
    const [first, ...others] = rows.slice(from, from + rowsEach);
    if (first !== undefined) parts.push(encodeRows(first, others));
  }
  const lengths = parts.map(({ length }) => length);
  const head: Head = { config, defaults, figures: figures.length, parts: lengths };
  const numbers = new Uint8Array(figures.buffer, figures.byteOffset, figures.byteLength);
  writeCacheFile(cache, [`${JSON.stringify(head)}\n`, numbers, ...parts]);
}

/** Some rows as JSON: the first, and what differs from it in each of the others. */
function encodeRows(first: IndexedRow, others: readonly IndexedRow[]): Buffer {
  const { brief, history } = first.files;
  const kept = others.map(({ files, ...row }) => ({
    ...row,
    files: differing({ ...files, brief, history }, first.files),
    brief: differing(files.brief, brief),
    history: differing(files.history, history),
  }));
  return Buffer.from(JSON.stringify([first, ...kept]));
}

/** A row but the first; what is missing is as in that. */
interface KeptRow extends Omit<IndexedRow, "files"> {
  readonly files?: Partial<ListedFiles>;
  readonly brief?: Partial<ListedFiles["brief"]>;
  readonly history?: Partial<ListedFiles["history"]>;
}

function decodeRows(json: string): IndexedRow[] {
  const [first, ...others] = JSON.parse(json) as [IndexedRow, ...KeptRow[]];
  const usual = first.files;
  const rows = others.map(({ kind, name, files, anchor, present, brief, history }) => {
    const own = { brief: over(usual.brief, brief), history: over(usual.history, history) };
    return { kind, name, files: { ...usual, ...files, ...own }, anchor, present };
  });
  return [first, ...rows];
}

/** The keys with another value; undefined: none. Most rows share their values, so few of them are compared as JSON. */
function differing<Value extends object>(value: Value, usual: Value): Partial<Value> | undefined {
  const keys = (Object.keys(value) as (keyof Value)[]).filter(
    (key) => value[key] !== usual[key] && JSON.stringify(value[key]) !== JSON.stringify(usual[key]),
  );
  if (keys.length === 0) return undefined;
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as Partial<Value>;
}

function over<Value extends object>(usual: Value, own: Partial<Value> | undefined): Value {
  return own === undefined ? usual : { ...usual, ...own };
}

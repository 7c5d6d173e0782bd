import { dirname, join } from "node:path";
import { refuseInside } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type CacheFile, readCacheFile, writeCacheFile } from "../store/cache-file.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { packageVersion } from "../templates/package-files.ts";
import { sha256 } from "../text/sha256.ts";
import { openDecoder, openEncoder } from "./encode-rows.ts";
import type { KeptConfig } from "./kept-config.ts";
import type { IndexedRow } from "./listed-files.ts";

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

/** To be raised with every change of what an index says of the same files. */
const indexVersion = 5;
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
  readonly texts: readonly string[];
  /** Bytes of each part. */
  readonly parts: readonly number[];
}

/** Null if there is none of this version of the program. */
export function readIndex(tasksRoot: string, ports: Pick<PassPorts, "env" | "home">): ListIndex | null {
  const read = readCacheFile(cacheOf(tasksRoot, ports));
  if (read === null) return null;
  let at = read.indexOf("\n") + 1;
  const { config, defaults, figures: count, texts, parts } = JSON.parse(read.toString("utf8", 0, at)) as Head;
  const figures = new Float64Array(count);
  at += read.copy(new Uint8Array(figures.buffer), 0, at, at + figures.byteLength);
  const decode = openDecoder(texts);
  const rows: IndexedRow[] = [];
  for (const length of parts) {
    for (const row of decode(read.toString("utf8", at, at + length))) rows.push(row);
    at += length;
  }
  return { config, defaults, figures, rows };
}

/** Puts the index in place, unless that is inside `top`, where a pass can write. */
export function writeIndex(
  { tasksRoot, top }: IndexedRoot,
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
  const { encode, texts } = openEncoder();
  const parts: Buffer[] = [];
  for (let from = 0; from < rows.length; from += rowsEach) parts.push(encode(rows.slice(from, from + rowsEach)));
  const lengths = parts.map(({ length }) => length);
  const head: Head = { config, defaults, figures: figures.length, texts: texts(), parts: lengths };
  const numbers = new Uint8Array(figures.buffer, figures.byteOffset, figures.byteLength);
  writeCacheFile(cache, [`${JSON.stringify(head)}\n`, numbers, ...parts]);
}

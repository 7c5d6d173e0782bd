import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as v from "valibot";
import { carryBounds, startMeter } from "../../git/content-bounds.ts";
import { statEntry } from "../../store/folder.ts";
import { pathKey } from "../../store/path-key.ts";
import { putFile } from "../../store/put-file.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { sha256 } from "../../text/sha256.ts";
import { readShape } from "../../text/shape.ts";
import { listCarried } from "./carry.ts";
import { digestDependency } from "./digest-dependency.ts";
import { lockKind, manifestKind } from "./lock-entries.ts";

/**
 * The contents of the folders of dependencies at pass 1. A copy contains exactly these, except for packages whose
 * lockfile entry changed: code that a pass puts into any other package is not a dependency, and no colleague would get
 * it.
 */
export interface DependencyPins {
  /** The folders that were there, as repo paths. */
  readonly folders: ReadonlySet<string>;
  /** True if nothing in the repo names a dependency, so that a folder that was not there has none. */
  readonly isComplete: boolean;
  /** The sha256 of each file, and of the text of each link with `link ` before it, by repo path. */
  readonly entries: ReadonlyMap<string, string>;
}

/** The first line of the file, and each that follows. */
const foldersShape = v.array(v.string());
const entryShape = v.tuple([v.string(), v.string()]);

const mostBytes = 256 * 1024 * 1024;

/** Writes the pins of these folders to a file and gives its sha256; null if they hold more than a copy may. */
export async function pinDependencies(repo: string, folders: readonly string[], file: string): Promise<string | null> {
  const lines = [JSON.stringify(folders)];
  const meter = startMeter("the dependencies", carryBounds, () => performance.now());
  for (const folder of folders) {
    for (const path of listCarried(repo, folder)) {
      if (lines.length % 64 === 0) await nextTurn();
      if (meter.add(statEntry(joinRepo(repo, path))?.size ?? 0) !== null) return null;
      const entry = digestDependency(joinRepo(repo, path));
      if (entry !== null) lines.push(JSON.stringify([pathKey(path), entry]));
    }
  }
  const text = `${lines.join("\n")}\n`;
  putFile(file, text, { mode: 0o600 });
  return sha256(text);
}

/** The pins in a file with this sha256; null if this machine does not have them. */
export function readPins(file: string, digest: string | null, isComplete = false): DependencyPins | null {
  if (digest === null) return isComplete ? { folders: new Set(), entries: new Map(), isComplete } : null;
  const read = readRegularFile(file, mostBytes);
  if (read.kind !== "file" || sha256(read.bytes) !== digest) return null;
  const [first = "[]", ...rest] = read.bytes.toString("utf8").trimEnd().split("\n");
  const folders = readShape(foldersShape, first);
  const entries = rest.map((line) => readShape(entryShape, line));
  if (folders.kind === "wrong" || !entries.every((entry) => entry.kind === "read")) return null;
  return { folders: new Set(folders.value), entries: new Map(entries.map(({ value }) => value)), isComplete };
}

/** A manifest that speaks of dependencies may be all that names them. */
const namesSome = /dependenc|require/i;
const mostManifestBytes = 1024 * 1024;

/** Whether a lockfile or a manifest of the repo names dependencies, which may be installed only after pass 1. */
export function namesDependencies(repo: string, entries: Entries): boolean {
  return [...entries.keys()].some((path) => {
    if (lockKind(path) !== null) return true;
    const read = manifestKind(path) !== null ? readRegularFile(join(repo, path), mostManifestBytes) : null;
    return read !== null && (read.kind !== "file" || namesSome.test(read.bytes.toString("utf8")));
  });
}

type Entries = ReadonlyMap<string, string>;

function joinRepo(repo: string, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(join(repo, "/")), path]);
}

import { join } from "node:path";
import * as v from "valibot";
import { type Proven, provenShape } from "../rules/shapes/reports/prove.ts";
import { lookAt } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { namesIn } from "../store/state-home.ts";
import { readShape } from "../text/shape.ts";

const knownShape = v.object({ key: v.string(), proven: provenShape });
const mostBytes = 64 * 1024 * 1024;
const name = "known.json";

/** What was proven of exactly these inputs at most so long ago; null if nothing was, or its logs are gone. */
export function readKnown(folder: string, key: string, freshMs: number, now: Date): Proven | null {
  const read = readRegularFile(join(folder, name), mostBytes);
  const known = read.kind === "file" ? readShape(knownShape, read.bytes) : null;
  if (known?.kind !== "read" || known.value.key !== key) return null;
  const age = now.getTime() - Date.parse(known.value.proven.at);
  return age >= 0 && age < freshMs ? known.value.proven : null;
}

export function keepKnown(folder: string, key: string, proven: Proven): void {
  putFile(join(folder, name), JSON.stringify({ key, proven }), { mode: 0o600, durable: false });
}

/**
 * Says whether folders of dependencies are as they were: by the times of what is up to three levels deep in them, where
 * package managers put and remove packages. What somebody edits deeper in a package is not seen.
 */
export function stampDependencies(repo: string, folders: readonly string[]): string[] {
  const stamp = (path: string, depth: number): string[] => {
    const stats = lookAt(path);
    const inside = depth === 0 || stats?.isDirectory() !== true ? [] : namesIn(path);
    return [
      `${path} ${stats?.ctimeMs ?? "gone"}`,
      ...inside.flatMap((name) => (lookAt(join(path, name))?.isDirectory() ? stamp(join(path, name), depth - 1) : [])),
    ];
  };
  return folders.flatMap((folder) => stamp(join(repo, folder), 3));
}

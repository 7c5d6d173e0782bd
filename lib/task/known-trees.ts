import { join } from "node:path";
import type { Root } from "mdast";
import { newestTree, useTreeCache } from "../documents/read-tree.ts";
import { packageVersion } from "../documents/templates/package-files.ts";
import { type CacheFile, readCacheFile, writeCacheFile } from "../store/cache-file.ts";
import { orElse } from "../text/attempt.ts";
import { sha256 } from "../text/sha256.ts";
import { anchorFolder } from "./records/anchor.ts";
import type { PassPorts } from "./records/ports.ts";
import type { TaskPlace } from "./records/task-place.ts";

/** To be raised when the parser's extensions change: trees of another version say nothing. */
const treesVersion = 1;
/** A longer text is parsed again: its tree would take a megabyte. */
const mostText = 64 * 1024;
const mostBytes = 8 * 1024 * 1024;
const hashLength = 64;

type Ports = Pick<PassPorts, "env" | "home">;

/**
 * The trees of the task's files as the pass before parsed them, by the digest of their text, in the runner's state
 * folder. A line is a digest and a tree.
 */
function cacheOf(place: TaskPlace, ports: Ports): CacheFile {
  const path = join(anchorFolder(place.taskDir, ports), "parsed.txt");
  return { path, key: [treesVersion, packageVersion()], mostBytes };
}

/** From here on a text that the pass before parsed is not parsed again. */
export function recallTrees(place: TaskPlace, ports: Ports): void {
  const lines = new Map(readLines(place, ports).map((line) => [line.slice(0, hashLength), line.slice(hashLength + 1)]));
  useTreeCache((text) => {
    const tree = text.length > mostText ? undefined : lines.get(sha256(text));
    // Whoever can write the file can write a right digest over what is no JSON.
    return tree === undefined ? undefined : orElse(() => JSON.parse(tree) as Root, undefined);
  });
}

/**
 * Keeps the trees of the task's files as they were read or written last, for the next pass. What fails only costs that
 * pass its time.
 */
export function saveTrees(place: TaskPlace, ports: Ports): void {
  const { readme, state, steps, decisions, evidence } = place;
  const known = new Set(readLines(place, ports).map((line) => line.slice(0, hashLength)));
  const trees = [readme, state, steps, decisions, evidence].flatMap((file) => {
    const newest = newestTree(file);
    return newest === undefined || newest.text.length > mostText
      ? []
      : [{ digest: sha256(newest.text), tree: newest.tree }];
  });
  if (trees.length === known.size && trees.every(({ digest }) => known.has(digest))) return;
  const lines = trees.map(({ digest, tree }) => `${digest} ${JSON.stringify(tree)}`);
  writeCacheFile(cacheOf(place, ports), [lines.join("\n")]);
}

function readLines(place: TaskPlace, ports: Ports): string[] {
  const lines = readCacheFile(cacheOf(place, ports))?.toString("utf8").split("\n") ?? [];
  return lines.filter((line) => line !== "");
}

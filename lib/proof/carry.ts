import { constants, copyFileSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorCode, storeError } from "../store/error-code.ts";
import { lookAt } from "../store/folder.ts";
import { joinBytes, pathBytes, pathKey } from "../store/path-key.ts";
import { listFolder } from "../store/walk.ts";
import { carryBounds, startMeter } from "./bounds.ts";

/**
 * The folders of dependencies that git ignores and a copy holds all the same: beside listed files, by these names; a
 * name with a slash is a path of the repo. Repo paths, sorted; one that git lists in whole is not among them.
 */
export function findCarried(repo: string, listed: Iterable<string>, names: readonly string[]): string[] {
  const folders = new Set<string>([""]);
  const known = new Set<string>();
  for (const path of listed) {
    if (path.startsWith("//")) continue;
    known.add(path);
    for (let at = dirname(path); at !== "." && !folders.has(at); at = dirname(at)) folders.add(at);
  }
  const plain = names.map((name) => name.replace(/\/+$/, ""));
  const candidates = new Set([
    ...plain.filter((name) => name.includes("/")),
    ...[...folders].flatMap((folder) => plain.filter((name) => !name.includes("/")).map((name) => join(folder, name))),
  ]);
  return [...candidates]
    .filter((path) => !isWithinListed(path, plain) && lookAt(join(repo, path))?.isDirectory() === true)
    .sort();
}

/** A folder of dependencies within another one comes along with that one. */
function isWithinListed(path: string, names: readonly string[]): boolean {
  return dirname(path)
    .split(sep)
    .some((part) => names.includes(part));
}

/** Copies one folder of dependencies; what the copy holds already stays. Gives the reason if it is too large. */
export async function copyCarried(
  repo: string,
  folder: string,
  target: string,
  signal: AbortSignal | null,
): Promise<string | null> {
  const meter = startMeter(folder, carryBounds, () => performance.now());
  const open: Buffer[] = [Buffer.from(folder)];
  let count = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const from = joinBytes(Buffer.from(repo), at);
    mkdirSync(joinBytes(Buffer.from(target), at), { recursive: true, mode: 0o755 });
    for (const { name } of listReadable(from)) {
      count += 1;
      if (count % 64 === 0) await nextTurn();
      if (signal?.aborted === true) return null;
      const path = joinBytes(at, name);
      const stats = lookAt(joinBytes(from, name));
      if (stats?.isDirectory() === true) {
        open.push(path);
        continue;
      }
      const tooMuch = meter.add(stats?.isFile() === true ? stats.size : 0);
      if (tooMuch !== null) return tooMuch;
      if (stats?.isFile() === true) copyOne(repo, target, path);
      else if (stats?.isSymbolicLink() === true) copyLink(repo, target, path);
    }
  }
  return null;
}

function listReadable(folder: Buffer): ReturnType<typeof listFolder> {
  try {
    return listFolder(folder);
  } catch (error) {
    if (errorCode(error) === "EACCES") return [];
    throw storeError("read", pathKey(folder), error);
  }
}

/** Shares the blocks if the file system can; a write to the copy never reaches the original. */
function copyOne(repo: string, target: string, path: Buffer): void {
  const to = joinBytes(Buffer.from(target), path);
  try {
    copyFileSync(joinBytes(Buffer.from(repo), path), to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EEXIST" && code !== "EACCES" && code !== "ENOENT") throw storeError("copy", pathKey(to), error);
  }
}

/**
 * A link into the repo leads into the copy, so that nothing can write to the repo through it. One that leaves the repo,
 * such as the interpreter of a virtual environment, leads where it led.
 */
function copyLink(repo: string, target: string, path: Buffer): void {
  const from = joinBytes(Buffer.from(repo), path);
  const text = readlinkSync(from, { encoding: "buffer" });
  const named = resolve(dirname(pathKey(from)), text.toString("utf8"));
  const inside = named === repo || named.startsWith(repo + sep);
  const to = joinBytes(Buffer.from(target), path);
  const led = inside ? relative(dirname(pathKey(to)), join(target, relative(repo, named))) : named;
  try {
    symlinkSync(led === "" ? "." : led, pathBytes(pathKey(to)));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw storeError("copy", pathKey(to), error);
  }
}

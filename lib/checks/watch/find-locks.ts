import { readlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { passMachineFault } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { bytesIn } from "../../store/path-key.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { escapePattern } from "../../text/escape-pattern.ts";
import { readProgram } from "./command-files.ts";
import { foldersUp } from "./command-words.ts";
import { insideRepo, readThrough } from "./places.ts";
import type { WatchInput, WatchRecord } from "./record.ts";

const lockNames = "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb".split(" ");
const maxBytes = 64 * 1024 * 1024;

/** The lockfiles of package managers in the folders that checks work in and above these, with their digests. */
export function findLocks({ repo }: Pick<WatchInput, "repo">, folders: Iterable<string>): Record<string, string> {
  const places = new Set([...folders].flatMap(foldersUp).concat(""));
  const found = [...places].flatMap((folder) => lockNames.map((name) => folder + name)).sort();
  return Object.fromEntries(
    found.flatMap((path) => {
      const { digest, size } = readThrough(join(repo, path), path);
      return size === null ? [] : [[path, digest]];
    }),
  );
}

/**
 * Whether a package manager may have put a program of node_modules/.bin there by a lockfile that is as it was: it leads
 * into a package that the lockfile names. Nothing is said about what is in the package.
 */
export function isInstalled({ locks }: WatchRecord, { repo }: WatchInput, bin: string): boolean {
  const folder = /^(?:(.+)\/)?node_modules\/\.bin\/[^/]+$/.exec(bin)?.[1] ?? "";
  const nearest = foldersUp(folder)
    .map((place) => lockNames.map((name) => place + name).filter((path) => locks[path] !== undefined))
    .find((paths) => paths.length > 0);
  const name = nearest === undefined ? null : packageOf(repo, bin);
  if (nearest === undefined || name === null) return false;
  return (
    nearest.every((path) => readThrough(join(repo, path), path).digest === locks[path]) &&
    nearest.some((path) => namesPackage(repo, path, name))
  );
}

function namesPackage(repo: string, lock: string, name: string): boolean {
  const read = readRegularFile(bytesIn(repo, lock), maxBytes);
  if (read.kind !== "file") return false;
  return new RegExp(`(?:^|node_modules/|[^\\w.@/-]/?)${escapePattern(name)}(?![\\w.-])`, "m").test(
    read.bytes.toString("latin1"),
  );
}

/** The package that a link, or the script that pnpm and yarn write instead of one, leads into. */
export function packageOf(repo: string, bin: string): string | null {
  const path = join(repo, bin);
  try {
    if (statEntry(path)?.isSymbolicLink() === true) {
      const target = insideRepo(repo, resolve(dirname(path), readlinkSync(path)));
      return target === null ? null : lastPackage(target);
    }
  } catch (error) {
    passMachineFault(error);
    return null;
  }
  const text = readProgram(repo, bin);
  if (text === null || !/^#!\/bin\/sh\nbasedir=\$\(dirname /.test(text)) return null;
  const target = /"\$basedir\/\.\.\/([^"]+)"/.exec(text)?.[1];
  return target === undefined ? null : lastPackage(`node_modules/${target}`);
}

function lastPackage(path: string): string | null {
  const at = path.lastIndexOf("node_modules/");
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(at < 0 ? "" : path.slice(at + "node_modules/".length))?.[0];
  return name === undefined || name.startsWith(".") ? null : name;
}

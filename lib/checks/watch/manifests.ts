import { bytesIn } from "../../store/path-key.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { isObject, parseObject } from "../../text/json-object.ts";
import { sha256 } from "../../text/sha256.ts";
import { foldersUp } from "./command-words.ts";
import { namedFile } from "./places.ts";
import { isFixture, isForeign } from "./test-paths.ts";

const maxBytes = 1024 * 1024;
/** More than the largest workspaces hold. */
const mostManifests = 1_000;

/** The text of a regular file of the repo, without its byte-order mark; null for anything else, and a larger one. */
export function readRepoText(repo: string, path: string, mostBytes = maxBytes): string | null {
  const read = readRegularFile(bytesIn(repo, path), mostBytes);
  return read.kind === "file" ? read.bytes.toString("utf8").replace(/^\ufeff/, "") : null;
}

/** The scripts of a package.json in the order of their names, or none. */
export function readScripts(repo: string, path: string): Map<string, string> {
  return scriptsIn(readRepoText(repo, path));
}

export function scriptsIn(text: string | null): Map<string, string> {
  const scripts = text === null ? undefined : parseObject(text)?.scripts;
  if (!isObject(scripts)) return new Map();
  const texts = Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return new Map(texts.sort(([left], [right]) => (left < right ? -1 : 1)));
}

export function listManifests(entries: ReadonlyMap<string, string>): string[] {
  const found = [...entries.keys()].filter(
    (path) => /(?:^|\/)package\.json$/.test(path) && !isForeign(path) && !isFixture(path),
  );
  return found.sort().slice(0, mostManifests);
}

/** The SHA-256 of a value, whatever the order of its keys. */
export function digestValue(value: unknown): string {
  return sha256(JSON.stringify(sortKeys(value)) ?? "undefined");
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const sorted = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, one]) => [key, sortKeys(one)]));
}

/** The package.json that a command in a folder of the repo works by, there or not. */
export function nearestManifest(repo: string, folder: string): string {
  const place = foldersUp(folder).find((one) => namedFile(repo, one, "package.json") !== null);
  return `${place ?? (folder === "" ? "" : `${folder}/`)}package.json`;
}

import { isAbsolute, join } from "node:path";
import { sha256 } from "../text/sha256.ts";
import { shorten } from "../text/shorten.ts";
import { findExecutable } from "../validators/find-executable.ts";
import { listManifests, readScripts } from "./manifests.ts";
import { gone, insideRepo, type LookedAt, lookThrough } from "./places.ts";
import type { WatchedPart, WatchedThing, WatchInput } from "./record.ts";
import { findSettings, isWholeSetting, type SettingScope } from "./settings.ts";
import { testClass } from "./test-paths.ts";
import { readTest } from "./test-profile.ts";
import type { Unfolded } from "./unfold.ts";

const mostShown = 200;

/** What the checks run and read, as it stands now. */
export function takeParts(input: WatchInput, unfolded: Unfolded, scope: SettingScope): WatchedPart[] {
  const found: WatchedPart[] = [];
  for (const word of unfolded.programs) {
    if (input.redact(word) === word) found.push(partOf("executable", resolveProgram(input, word), word));
  }
  for (const path of unfolded.bins) found.push(partOf("executable", digestPart(input, path)));
  for (const path of unfolded.shadows) found.push(partOf("check_file", digestPart(input, path)));
  for (const path of unfolded.files) {
    if (!countsAsTest(input, path)) found.push(partOf("check_file", digestPart(input, path)));
  }
  found.push(...takeScripts(input, unfolded), ...findSettings(input, scope));
  const run = new Set(found.filter(({ kind }) => kind === "executable").map(({ name }) => name));
  const settings = new Set(found.filter(({ kind }) => kind === "setting").map(({ name }) => name));
  return found.filter(({ kind, name }) => kind !== "check_file" || !(run.has(name) || settings.has(name)));
}

/** A file that a check names and that holds tests may gain some: it is watched as a test. */
function countsAsTest({ repo }: WatchInput, path: string): boolean {
  if (/(?:^|\/)package\.json$/.test(path)) return true;
  if (testClass(path) === null) return false;
  const read = readTest(repo, path);
  return read.kind === "read" && read.profile.tests > 0;
}

function takeScripts(input: WatchInput, { folders, missing }: Unfolded): WatchedPart[] {
  const found: WatchedPart[] = [];
  for (const manifest of reachedManifests(input, folders)) {
    for (const [name, text] of readScripts(input.repo, manifest)) {
      const was = shorten(input.redact(text), mostShown);
      found.push({
        ...partOf("script", { name: `${manifest}#scripts.${name}`, digest: digestScript(text), size: null }),
        was,
      });
    }
  }
  const known = new Set(found.map(({ name }) => name));
  for (const name of missing) if (!known.has(name)) found.push(partOf("script", { name, digest: gone, size: null }));
  return found;
}

/** Each package.json that the repo lists, and those that the checks work beside. */
export function reachedManifests({ entries }: WatchInput, folders: Iterable<string>): string[] {
  const reached = [...folders].map((folder) => (folder === "" ? "package.json" : `${folder}/package.json`));
  return [...new Set([...listManifests(entries), ...reached])].sort();
}

/** Layout does not count. */
export function digestScript(text: string): string {
  return sha256(text.trim().replace(/\s+/g, " "));
}

/** What is watched as a part of the checks is no test as well. */
export function exceptParts(things: readonly WatchedThing[], scope: SettingScope): (path: string) => boolean {
  const names = things.filter(({ kind, digest }) => kind !== "test" && digest !== gone).map(({ name }) => name);
  const taken = new Set(names);
  return (path) => taken.has(path) || isWholeSetting(path, scope);
}

interface Digested extends LookedAt {
  /** Relative to the repo, or absolute outside of it. */
  readonly name: string;
}

/** What PATH or the word itself leads to now. */
export function resolveProgram({ repo, searchPath }: WatchInput, word: string): Digested {
  const path = findExecutable(word, repo, searchPath);
  if (path === null) return { name: word, digest: gone, size: null };
  const name = insideRepo(repo, path) ?? path;
  return { name, ...lookThrough(path, name) };
}

/** Of a repo path, or an absolute one. */
export function digestPart({ repo }: WatchInput, name: string): Digested {
  return { name, ...lookThrough(isAbsolute(name) ? name : join(repo, name), name) };
}

function partOf(kind: WatchedPart["kind"], { name, digest, size }: Digested, word = ""): WatchedPart {
  return { kind, name, digest, word, was: "", size };
}

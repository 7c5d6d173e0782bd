import { isAbsolute, join } from "node:path";
import { findExecutable } from "../../process/find-executable.ts";
import { sha256 } from "../../text/sha256.ts";
import { shorten } from "../../text/shorten.ts";
import { readScripts } from "./manifests.ts";
import { gone, insideRepo, isOutside, type LookedAt, nothing, readThrough } from "./places.ts";
import type { WatchedThing, WatchInput } from "./record.ts";
import { fileOf, findSettings, isWholeSetting, type SettingScope } from "./settings.ts";
import { findSetupFiles } from "./setup-files.ts";
import { testClass } from "./test-paths.ts";
import { unfoldChecks } from "./unfold.ts";
import type { Unfolded } from "./unfolded.ts";

const mostShown = 200;

/** The files that the checks run and read, in their current state. */
export function takeParts(input: WatchInput, unfolded: Unfolded, scope: SettingScope): WatchedThing[] {
  const found: WatchedThing[] = [];
  for (const word of unfolded.programs) {
    if (input.redact(word) !== word) continue;
    const program = resolveProgram(input, word);
    // A program of the work tree can be restored in a copy, like every other file of a check.
    found.push(partOf(input.entries.has(program.name) ? "check_file" : "executable", program, input, word));
  }
  for (const path of unfolded.bins) found.push(partOf("executable", digestBin(input, path), input));
  const settings = findSettings(input, scope);
  for (const path of new Set([...unfolded.shadows, ...unfolded.files, ...findSetupFiles(input, settings)])) {
    if (!isTest(input, path)) found.push(partOf("check_file", digestPart(input, path), input));
  }
  found.push(...takeScripts(input, unfolded), ...settings);
  const run = new Set(found.filter(({ kind, word }) => kind === "executable" || word !== "").map(({ name }) => name));
  const whole = new Set(settings.map(({ name }) => name));
  return found.filter(
    ({ kind, name, word }) => kind !== "check_file" || word !== "" || !(run.has(name) || whole.has(name)),
  );
}

/** Also a manifest, whose scripts are watched one by one. */
function isTest({ entries }: WatchInput, path: string): boolean {
  return /(?:^|\/)package\.json$/.test(path) || (testClass(path) !== null && entries.has(path));
}

/** The words of the checks that may name a program: their commands and what those lead to. */
export function reachedWords(input: WatchInput): ReadonlySet<string> {
  return unfoldChecks(input).tools;
}

/** The scripts that are run, their hooks, there or not, and those that are named and not there. */
function takeScripts(input: WatchInput, { scripts, missing }: Unfolded): WatchedThing[] {
  const hooks = [...scripts, ...missing].flatMap((name) =>
    ["pre", "post"].map((when) => name.replace("#scripts.", `#scripts.${when}`)),
  );
  return [...new Set([...scripts, ...missing, ...hooks])].map((name) => {
    const text = readScriptText(input, name);
    const was = text === null ? "" : shorten(input.redact(text), mostShown);
    const digest = text === null ? gone : digestScript(text);
    return { ...partOf("script", { ...nothing, name, digest }, input), was };
  });
}

/** The scripts that the checks run now, as `package.json#scripts.test`. */
export function reachedScripts(input: WatchInput): string[] {
  return [...unfoldChecks(input).scripts];
}

/** The text of `package.json#scripts.test`; null if there is no such script. */
export function readScriptText({ repo }: WatchInput, name: string): string | null {
  const manifest = fileOf(name);
  return readScripts(repo, manifest).get(name.slice(manifest.length + "#scripts.".length)) ?? null;
}

/** Layout does not count. */
export function digestScript(text: string): string {
  return sha256(text.trim().replace(/\s+/g, " "));
}

/** A file watched as a part of the checks does not count as a test as well. */
export function exceptParts(things: readonly WatchedThing[], scope: SettingScope): (path: string) => boolean {
  const names = things.filter(({ kind, digest }) => kind !== "test" && digest !== gone).map(({ name }) => name);
  const taken = new Set(names);
  return (path) => taken.has(path) || isWholeSetting(path, scope);
}

interface Named extends LookedAt {
  /** Relative to the repo, or absolute outside of it. */
  readonly name: string;
}

/** The program that PATH or the word itself resolves to now. */
export function resolveProgram({ repo, searchPath }: WatchInput, word: string): Named {
  const path = findExecutable(word, repo, searchPath);
  if (path === null) return { name: word, ...nothing };
  const name = insideRepo(repo, path) ?? path;
  return { name, ...readThrough(path, name) };
}

/** Of a repo path, or an absolute one. */
export function digestPart({ repo }: WatchInput, name: string): Named {
  return { name, ...readThrough(isAbsolute(name) ? name : join(repo, name), name) };
}

/** A file that cannot be executed is skipped as if it did not exist. */
export function digestBin(input: WatchInput, name: string): Named {
  const found = digestPart(input, name);
  return found.runs || found.digest === gone ? found : { name, ...nothing };
}

function partOf(kind: WatchedThing["kind"], { name, digest, size }: Named, input: WatchInput, word = ""): WatchedThing {
  const file = fileOf(name);
  const unlisted = isOutside(file) || (digest !== gone && !input.entries.has(file));
  return { kind, name, digest, word, was: "", size, unlisted };
}

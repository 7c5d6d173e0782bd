import { findMatching } from "../../store/glob-paths.ts";
import { sha256 } from "../../text/sha256.ts";
import { digestEntry, readEntry } from "./places.ts";
import type { WatchedThing, WatchInput } from "./record.ts";
import { foreignFolders, isCode, testClass } from "./test-paths.ts";

/** More than the largest repos keep apart; what is beyond counts as one. */
const mostTests = 20_000;

export type FoundTest = Readonly<NonNullable<ReturnType<typeof readTestFile>>>;

/**
 * Finds the repo's test files by common patterns and by the globs of the contract, in the order in which they count: code
 * first. Reads only what git ignores.
 */
export function findTests(input: WatchInput, except: (path: string) => boolean, limit = mostTests) {
  const found = new Map<string, FoundTest>();
  for (const [path, entry] of input.entries) {
    if (testClass(path) !== null && !except(path)) found.set(path, { digest: digestEntry(entry), unlisted: false });
  }
  for (const path of matchingGlobs(input)) {
    if (found.has(path) || except(path)) continue;
    const test = readTestFile(input, path);
    if (test !== null) found.set(path, test);
  }
  const ranked = inOrder(found);
  const over = ranked.slice(limit);
  const last = ranked[limit - 1];
  return {
    found: new Map(ranked.slice(0, limit)),
    rest: over.length === 0 || last === undefined ? null : { after: rankOf(last[0]), ...bundle(over) },
  };
}

/** A file as it is now, also one that git ignores, which only a glob of the contract finds; null if there is none. */
export function readTestFile({ repo, entries }: WatchInput, path: string) {
  const entry = entries.get(path) ?? readEntry(repo, path);
  return entry === null ? null : { digest: digestEntry(entry), unlisted: !entries.has(path) };
}

/** The current entries beyond a rank. */
export function restAfter(files: ReadonlyMap<string, FoundTest>, after: string) {
  return bundle(inOrder(files).filter(([path]) => rankOf(path) > after));
}

function bundle(files: readonly (readonly [string, FoundTest])[]): { count: number; digest: string } {
  return { count: files.length, digest: sha256(JSON.stringify(files.map(([path, { digest }]) => [path, digest]))) };
}

function inOrder<Value>(files: ReadonlyMap<string, Value>): [string, Value][] {
  return [...files].sort(([left], [right]) => (rankOf(left) < rankOf(right) ? -1 : 1));
}

/** Fixtures come after code. */
export function rankOf(path: string): string {
  return `${isCode(path) ? 0 : 1}${path}`;
}

/** A folder of other people's code counts only if the glob itself names it. */
export function matchingGlobs({ repo, globs, leaveOut }: Pick<WatchInput, "repo" | "globs" | "leaveOut">): string[] {
  const isLeftOut = (path: string): boolean =>
    (leaveOut ?? []).some((folder) => path === folder || path.startsWith(`${folder}/`));
  const found = globs.flatMap((glob) => {
    const named = new Set(glob.split("/"));
    const barred = foreignFolders.filter((folder) => !named.has(folder));
    return findMatching(repo, [glob]).filter(
      (path) => !isLeftOut(path) && !path.split("/").some((part) => barred.includes(part)),
    );
  });
  return [...new Set(found)].sort();
}

export function takeTest(name: string, { digest, unlisted }: FoundTest): WatchedThing {
  return { kind: "test", name, digest, word: "", was: "", size: null, unlisted };
}

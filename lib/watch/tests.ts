import { findMatching } from "../store/glob-paths.ts";
import { sha256 } from "../text/sha256.ts";
import { languageOf } from "./languages.ts";
import { readText } from "./manifests.ts";
import { describePath, lastPart } from "./places.ts";
import type { WatchedTest, WatchInput, WatchRecord } from "./record.ts";
import { foreignFolders, isForeign, testClass } from "./test-paths.ts";
import { readTest } from "./test-profile.ts";

/** More than the largest repos keep apart; what is beyond counts as one. */
export const mostTests = 20_000;

/** Repo paths of tests with their digests, in the order in which they count: code first. */
export interface TestFiles {
  readonly digests: ReadonlyMap<string, string>;
  readonly rest: WatchRecord["rest"];
}

/** Which of the repo's files are tests, by common patterns and by the globs of the contract. Reads only what git ignores. */
export function findTests(input: WatchInput, except: (path: string) => boolean, limit = mostTests): TestFiles {
  const found = new Map<string, string>();
  for (const [path, entry] of input.entries) {
    if (testClass(path) !== null && !except(path)) found.set(path, sha256(entry));
  }
  for (const path of matchingGlobs(input)) {
    if (found.has(path) || except(path)) continue;
    const entry = input.entries.get(path) ?? describePath(input.repo, path);
    if (entry !== null) found.set(path, sha256(entry));
  }
  const ranked = [...found].map(([path, digest]) => ({ rank: rankOf(path), path, digest }));
  ranked.sort((left, right) => (left.rank < right.rank ? -1 : 1));
  const over = ranked.slice(limit);
  const last = ranked[limit - 1];
  return {
    digests: new Map(ranked.slice(0, limit).map(({ path, digest }) => [path, digest])),
    rest: over.length === 0 || last === undefined ? null : bundle(last.rank, over),
  };
}

/** Those beyond a rank, as they stand now. */
export function restAfter(files: ReadonlyMap<string, string>, after: string): NonNullable<WatchRecord["rest"]> {
  const over = [...files]
    .map(([path, digest]) => ({ rank: rankOf(path), path, digest }))
    .filter(({ rank }) => rank > after);
  return bundle(
    after,
    over.sort((left, right) => (left.rank < right.rank ? -1 : 1)),
  );
}

function bundle(after: string, files: readonly { path: string; digest: string }[]): NonNullable<WatchRecord["rest"]> {
  return {
    after,
    count: files.length,
    digest: sha256(JSON.stringify(files.map(({ path, digest }) => [path, digest]))),
  };
}

/** Fixtures come after code. */
export function rankOf(path: string): string {
  return `${languageOf(lastPart(path)) === null ? 1 : 0}${path}`;
}

/** A folder of other people's code counts only where the glob itself names it. */
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

/** A test as it is now, to be kept. */
export function takeTest(repo: string, path: string, digest: string): WatchedTest {
  const read = readTest(repo, path);
  const base = { kind: "test", name: path, digest, inline: false } as const;
  if (read.kind !== "read") return { ...base, profile: null };
  return { ...base, profile: keep(read.profile) };
}

/** Rust keeps unit tests in the files that they test. */
export function takeInlineTests(input: WatchInput, except: (path: string) => boolean): WatchedTest[] {
  const found: WatchedTest[] = [];
  for (const [path, entry] of input.entries) {
    if (found.length >= mostTests) break;
    if (!path.endsWith(".rs") || testClass(path) !== null || isForeign(path) || except(path)) continue;
    if (!/#\[\s*(?:\w+\s*::\s*)*test\b/.test(readText(input.repo, path) ?? "")) continue;
    const test = takeTest(input.repo, path, sha256(entry));
    if (test.profile !== null && test.profile.tests > 0) found.push({ ...test, inline: true });
  }
  return found;
}

function keep(profile: Extract<ReturnType<typeof readTest>, { kind: "read" }>["profile"]): WatchedTest["profile"] {
  return {
    tests: profile.tests,
    skips: profile.skips.map(({ hash }) => hash),
    asserts: profile.asserts.map(({ hash }) => hash),
  };
}

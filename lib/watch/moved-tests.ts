import { lastPart } from "./places.ts";
import type { WatchedTest } from "./record.ts";
import { testClass } from "./test-paths.ts";
import { readTest } from "./test-profile.ts";

/** How many added files are read to find one whose tests are those of a missing one. */
const mostRead = 500;
/** Of added files with the same bytes. */
const mostTried = 100;

export interface MovedTo {
  readonly path: string;
  readonly digest: string;
}

/** For missing tests, by name, the added file that took their place: the same bytes, or the same tests and assertions. */
export function pairMoved(
  missing: readonly WatchedTest[],
  added: ReadonlyMap<string, string>,
  known: readonly WatchedTest[],
  repo: string,
): Map<string, MovedTo> {
  const found = new Map<string, MovedTo>();
  if (missing.length === 0) return found;
  const folders = new Set(known.map(({ name }) => folderOf(name)));
  const paths = [...added.keys()].sort();
  const taken = new Set<string>();
  const pair = (
    tests: readonly WatchedTest[],
    by: (path: string) => string | null,
    wants: (test: WatchedTest) => string | null,
  ) => {
    const byText = groupBy(paths, by);
    for (const test of tests) {
      const candidates = byText.get(wants(test) ?? "")?.slice(0, mostTried) ?? [];
      const to = candidates.find((path) => !taken.has(path) && mayReplace(test.name, path, folders));
      if (to === undefined) continue;
      taken.add(to);
      found.set(test.name, { path: to, digest: added.get(to) ?? "" });
    }
  };
  pair(
    missing,
    (path) => added.get(path) ?? null,
    ({ digest }) => digest,
  );
  const readable = new Set(paths.filter((path) => !taken.has(path)).slice(0, mostRead));
  pair(
    missing.filter(({ name }) => !found.has(name)),
    (path) => (readable.has(path) ? sameness(repo, path) : null),
    ({ profile }) => (profile === null || profile.tests === 0 ? null : JSON.stringify(inOrder(profile))),
  );
  return found;
}

function groupBy(paths: readonly string[], by: (path: string) => string | null): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const text = by(path);
    if (text === null) continue;
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [path]);
    else group.push(path);
  }
  return groups;
}

/** Two files with the same text here hold the same tests, skip marks and assertions. */
function sameness(repo: string, path: string): string | null {
  const read = readTest(repo, path);
  if (read.kind !== "read") return null;
  const { tests, skips, asserts } = read.profile;
  return JSON.stringify(
    inOrder({ tests, skips: skips.map(({ hash }) => hash), asserts: asserts.map(({ hash }) => hash) }),
  );
}

function inOrder({ tests, skips, asserts }: NonNullable<WatchedTest["profile"]>): unknown[] {
  return [tests, [...skips].sort(), [...asserts].sort()];
}

/**
 * Whether a runner that found the one is likely to find the other: a test put where none were, or under a name that
 * runners leave out, is gone.
 */
function mayReplace(from: string, to: string, folders: ReadonlySet<string>): boolean {
  if (suffixOf(from) !== suffixOf(to) || testClass(from) !== testClass(to)) return false;
  const before = new Set(from.split("/"));
  if (to.split("/").some((part) => !before.has(part) && hiding.test(part))) return false;
  const folder = folderOf(to);
  if (folders.has(folder)) return true;
  return testClass(to) === "name" && [...folders].some((known) => known !== "" && folder.startsWith(`${known}/`));
}

const hiding =
  /^[.]|^_(?!_tests__)|^(?:disabled|skip|skipped|ignored?|old|bak|backup|archived?|attic|trash|fixtures?|__fixtures__|testdata|__mocks__|snapshots?)$/i;

function suffixOf(path: string): string {
  const name = lastPart(path);
  const dot = name.indexOf(".", 1);
  const [stem, end] = dot < 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot)];
  const mark = /(?:_(?:test|spec)|(?:Tests?|Spec|IT))$/.exec(stem)?.[0] ?? "";
  return mark + end;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

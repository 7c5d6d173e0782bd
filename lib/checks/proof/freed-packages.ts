import { dirname } from "node:path";
import type { RepoVersion } from "../watch/expected-data.ts";
import { isFixture, isForeign } from "../watch/test-paths.ts";
import { type Ecosystem, type LockEntries, lockKind, manifestKind } from "./lock-entries.ts";

/** What one list of dependencies says otherwise than at pass 1. */
export interface ChangedList {
  readonly path: string;
  readonly ecosystem: Ecosystem;
  /** The packages whose entry is another one, and those that have one only now, with the entry. */
  readonly changed: LockEntries;
  readonly added: LockEntries;
  /** It names only what a person asked for, so that a package that is new may be one that these need. */
  readonly takesNew: boolean;
}

export interface FreedPackages {
  readonly lists: readonly ChangedList[];
  /** Lists that changed and cannot be read, now or as at pass 1: they free nothing. */
  readonly unreadable: readonly string[];
}

/**
 * Compares the lists of dependencies, entry by entry: the lockfiles of an ecosystem, or without any the manifests. Only
 * packages whose entry changed may differ from pass 1; one that lost its entry may not.
 */
export function findFreed(before: RepoVersion, now: RepoVersion): FreedPackages {
  const paths = [...new Set([...before.entries.keys(), ...now.entries.keys()])].filter(
    (path) => !isFixture(path) && !isForeign(path),
  );
  const locks = paths.flatMap((path) => ({ path, kind: lockKind(path) }));
  const locked = new Set(locks.flatMap(({ kind }) => (kind === null ? [] : [kind.ecosystem])));
  const manifests = paths
    .map((path) => ({ path, kind: manifestKind(path) }))
    .filter(({ kind }) => kind !== null && !locked.has(kind.ecosystem));
  const lists: ChangedList[] = [];
  const unreadable: string[] = [];
  for (const { path, kind } of [...locks, ...manifests]) {
    if (kind === null || before.entries.get(path) === now.entries.get(path) || !now.entries.has(path)) continue;
    const readFrom = (repo: RepoVersion): LockEntries | null => {
      const found = repo.read(path);
      return found === null ? null : kind.read(found);
    };
    const was = before.entries.has(path) ? readFrom(before) : new Map<string, string>();
    const is = readFrom(now);
    if (was === null || is === null) {
      unreadable.push(path);
      continue;
    }
    const differing = [...is].filter(([name, value]) => was.get(name) !== value);
    if (differing.length === 0) continue;
    const changed = new Map(differing.filter(([name]) => was.has(name)));
    const added = new Map(differing.filter(([name]) => !was.has(name)));
    lists.push({ path, ecosystem: kind.ecosystem, changed, added, takesNew: !kind.isWhole });
  }
  return { lists, unreadable };
}

/** The folder of a list, with a slash at its end; empty for the repo's own. */
export function folderOfList({ path }: Pick<ChangedList, "path">): string {
  const folder = dirname(path);
  return folder === "." ? "" : `${folder}/`;
}

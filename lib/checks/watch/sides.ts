import { findChanges } from "./compare.ts";
import { digestEntry, gone, isOutside, readEntry } from "./places.ts";
import type { WatchInput, WatchRecord } from "./record.ts";
import { fileOf } from "./settings.ts";
import { isForeign, testClass } from "./test-paths.ts";
import { takeWatch } from "./watch.ts";

/** The entries of the fingerprint of pass 1, by repo path. */
type Entries = ReadonlyMap<string, string>;

/**
 * The repo paths of the checks' side that were added, removed or changed since pass 1, sorted. On that side are test
 * files and what tests need, what `watched` matches, what the checks name and read, and the settings of test runners
 * and CI. Every other path is the work. Two kinds of file hold both:
 * - A manifest, such as package.json or pyproject.toml, counts as a check only if scripts that the checks run or
 *   settings of test tools in it differ from pass 1. Otherwise it is work: its dependencies are there to change.
 * - A source of Rust, Python or Elixir with tests in it, such as examples in its documentation, is work. Its tests are taken
 *   apart from it for the cells alone, see inner-tests.ts; `tests/*.rs` is on the checks' side.
 *
 * The mode of such a file counts too. What is outside the repo, and dependencies such as node_modules, are on no side.
 * With the entries of pass 1, a file that only became part of the checks since is distinguished from one that was changed.
 */
export function changedCheckPaths(record: WatchRecord, input: WatchInput, before: Entries = new Map()): string[] {
  const known = wholePaths(record);
  const changed = new Set(
    findChanges(record, input).flatMap(({ name, side }) => (side === "checks" && isOfRepo(name) ? [fileOf(name)] : [])),
  );
  for (const path of [...wholePaths(takeWatch(input)), ...patternPaths(before)]) {
    if (!known.has(path) && before.get(path) !== entryOf(input, path)) changed.add(path);
  }
  for (const path of known) if (isModeChanged(before.get(path), input.entries.get(path))) changed.add(path);
  return [...changed].sort();
}

/** A test that lost its executable bit may be passed over: whether that counts, `old_checks` shows. */
function isModeChanged(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && now !== undefined && before !== now && digestEntry(before) === digestEntry(now);
}

/** The entries of a record that are whole files of the checks' side, in the repo and outside of dependencies. */
function wholePaths({ things }: WatchRecord): Set<string> {
  const found = new Set<string>();
  for (const { kind, name, digest } of things) {
    if (digest === gone || kind === "script" || !isOfRepo(name) || fileOf(name) !== name) continue;
    found.add(name);
  }
  return found;
}

/** Test files that the record may contain only as one of many, see `mostTests`. */
function patternPaths(entries: Entries): string[] {
  return [...entries.keys()].filter((path) => testClass(path) !== null);
}

function isOfRepo(name: string): boolean {
  return !isOutside(name) && !isForeign(fileOf(name));
}

function entryOf({ repo, entries }: WatchInput, path: string): string | undefined {
  return entries.get(path) ?? readEntry(repo, path) ?? undefined;
}

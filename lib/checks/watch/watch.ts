import { dirname } from "node:path";
import { sha256 } from "../../text/sha256.ts";
import { readShape } from "../../text/shape.ts";
import { aboveRows } from "./above-rows.ts";
import { findLocks } from "./find-locks.ts";
import { exceptParts, takeParts } from "./parts.ts";
import { gone } from "./places.ts";
import { keyOf, sortThings, type WatchedThing, type WatchInput, type WatchRecord, watchShape } from "./record.ts";
import { settingRows } from "./setting-rows.ts";
import { findSettings } from "./settings.ts";
import { testClass } from "./test-paths.ts";
import { findTests, matchingGlobs, takeTest } from "./tests.ts";
import { unfoldChecks } from "./unfold.ts";

export { compareWatch } from "./compare.ts";
export type { WatchInput, WatchRecord } from "./record.ts";

/** The watched part of the repo in its current state. Runs nothing, and opens only regular files. */
export function takeWatch(input: WatchInput): WatchRecord {
  return { ...take(input, input.checks), checks: [...new Set(input.checks.map(checkId))].sort() };
}

/**
 * The record with what is watched only since: what new checks run and read, and what new globs match. What was watched
 * before keeps its digests, and files that appeared since pass 1 under the usual patterns stay additions.
 */
export function extendWatch(record: WatchRecord, input: WatchInput): WatchRecord {
  const known = new Set(record.checks);
  const added = input.checks.filter((check) => !known.has(checkId(check)));
  const now = take(input, added);
  const newTools = new Set(now.tools.filter((tool) => !record.tools.includes(tool)));
  const newFolders = now.folders.filter((folder) => !record.folders.includes(folder));
  const newGlobs = input.globs.filter((glob) => !record.globs.includes(glob));
  const byNewGlobs = new Set(matchingGlobs({ ...input, globs: newGlobs }));
  const byOldScope = new Set(findSettings(input, record).map(({ name }) => name));
  const old = new Set(record.things.map(keyOf));
  const isNew = (thing: WatchedThing): boolean => {
    if (old.has(keyOf(thing))) return false;
    if (thing.kind === "test") return byNewGlobs.has(thing.name) && testClass(thing.name) === null;
    if (thing.kind === "setting") return (newTools.size > 0 || newFolders.length > 0) && !byOldScope.has(thing.name);
    return true;
  };
  const newLocks = Object.entries(now.locks).filter(([path]) => newFolders.includes(dirname(path)));
  return {
    checks: [...new Set([...record.checks, ...added.map(checkId)])].sort(),
    globs: [...new Set([...record.globs, ...input.globs])].sort(),
    tools: [...new Set([...record.tools, ...now.tools])].sort(),
    folders: [...new Set([...record.folders, ...now.folders])].sort(),
    locks: { ...Object.fromEntries(newLocks), ...record.locks },
    things: sortThings([...record.things, ...now.things.filter(isNew)]),
    rest: record.rest,
  };
}

function take(input: WatchInput, checks: WatchInput["checks"]): WatchRecord {
  const unfolded = unfoldChecks(input, checks);
  const scope = {
    tools: [...unfolded.tools].filter((word) => known.has(word)).sort(),
    folders: [...unfolded.folders].filter((one) => one !== "").sort(),
  };
  const parts = takeParts(input, unfolded, scope);
  const { found, rest } = findTests(input, exceptParts(parts, scope));
  const tests = [...found].map(([path, test]) => takeTest(path, test));
  const globs = [...new Set(input.globs)].sort();
  const locks = findLocks(input, scope.folders);
  return { checks: [], globs, ...scope, locks, things: sortThings([...parts, ...tests]), rest };
}

function checkId({ command }: WatchInput["checks"][number]): string {
  return sha256(JSON.stringify(command));
}

const known = new Set([
  ...[...settingRows, ...aboveRows].flatMap(({ tools }) => tools ?? []),
  // Rules for a part of a file only.
  ..."eslint xo standard prettier stylelint knip clippy tox mypy flake8 pylint isort pycodestyle pydocstyle".split(" "),
  ..."ruff black bandit pyright basedpyright pyrefly ty".split(" "),
]);

/** The record as JSON, one watched thing a line: the same record gives the same bytes. */
export function formatWatch(record: WatchRecord): string {
  const lines = record.things.map((thing) => `  ${JSON.stringify(packThing(thing))}`);
  const { checks, globs, tools, folders, locks, rest } = record;
  const start = JSON.stringify({ checks, globs, tools, folders, locks, rest });
  return `${start.slice(0, -1)},"things":[\n${lines.join(",\n")}\n]}\n`;
}

/** How many things are watched; what was absent at the time is not a thing yet. */
export function countWatch({ things, rest }: WatchRecord): number {
  return things.filter(({ digest }) => digest !== gone).length + (rest?.count ?? 0);
}

/** The record of a text that `formatWatch` wrote; null for any other text. */
export function parseWatch(text: string): WatchRecord | null {
  const read = readShape(watchShape, text);
  return read.kind === "wrong" ? null : { ...read.value, things: sortThings(read.value.things) };
}

/** Keys in one order; what is empty is left out. */
function packThing({ kind, name, digest, word, was, size, unlisted }: WatchedThing): unknown {
  const texts = { ...(word === "" ? {} : { word }), ...(was === "" ? {} : { was }) };
  return { kind, name, digest, ...texts, ...(size === null ? {} : { size }), ...(unlisted ? { unlisted } : {}) };
}

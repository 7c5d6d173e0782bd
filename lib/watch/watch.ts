import { sha256 } from "../text/sha256.ts";
import { exceptParts, takeParts } from "./parts.ts";
import { gone } from "./places.ts";
import { keyOf, sortThings, type WatchedThing, type WatchInput, type WatchRecord } from "./record.ts";
import { knownTools } from "./setting-rows.ts";
import { findSettings } from "./settings.ts";
import { testClass } from "./test-paths.ts";
import { findTests, matchingGlobs, takeInlineTests, takeTest } from "./tests.ts";
import { unfoldChecks } from "./unfold.ts";

export { compareWatch } from "./compare.ts";
export type { WatchInput, WatchRecord } from "./record.ts";
export { countWatch, formatWatch, parseWatch } from "./record-text.ts";

/** What of the repo is watched, as it stands now. Runs nothing, and opens nothing but regular files. */
export function takeWatch(input: WatchInput): WatchRecord {
  const ids = input.checks.map(checkId);
  return { ...take(input, input.checks).record, checks: [...new Set(ids)].sort() };
}

/**
 * The record with what is watched only since: what new checks run and read, and what new globs match. What was watched
 * before keeps its digests, and files that appeared since pass 1 under the usual patterns stay additions.
 */
export function extendWatch(record: WatchRecord, input: WatchInput): WatchRecord {
  const known = new Set(record.checks);
  const added = input.checks.filter((check) => !known.has(checkId(check)));
  const { record: now, scripts } = take(input, added);
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
    if (thing.kind === "script") return thing.digest === gone || scripts.has(thing.name);
    return true;
  };
  return {
    version: 1,
    checks: [...new Set([...record.checks, ...added.map(checkId)])].sort(),
    globs: [...new Set([...record.globs, ...input.globs])].sort(),
    tools: [...new Set([...record.tools, ...now.tools])].sort(),
    folders: [...new Set([...record.folders, ...now.folders])].sort(),
    things: sortThings([...record.things, ...now.things.filter(isNew)]),
    rest: record.rest,
  };
}

function take(input: WatchInput, checks: WatchInput["checks"]): { record: WatchRecord; scripts: ReadonlySet<string> } {
  const unfolded = unfoldChecks(
    input,
    checks.map(({ command }) => command),
  );
  const scope = {
    tools: knownTools(unfolded.tools),
    folders: [...unfolded.folders].filter((one) => one !== "").sort(),
  };
  const parts = takeParts(input, unfolded, scope);
  const except = exceptParts(parts, scope);
  const { digests, rest } = findTests(input, except);
  const tests = [...digests].map(([path, digest]) => takeTest(input.repo, path, digest));
  const things = sortThings([...parts, ...tests, ...takeInlineTests(input, except)]);
  const globs = [...new Set(input.globs)].sort();
  return { record: { version: 1, checks: [], globs, ...scope, things, rest }, scripts: unfolded.scripts };
}

function checkId({ command }: WatchInput["checks"][number]): string {
  return sha256(JSON.stringify(command));
}

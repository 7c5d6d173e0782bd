import * as v from "valibot";
import { about, readShape, recordOf } from "../text/shape.ts";
import { gone } from "./places.ts";
import { sortThings, type WatchedThing, type WatchRecord } from "./record.ts";

const text = v.string();
const texts = v.array(text);

const thing = v.object({
  kind: v.picklist(["test", "script", "setting", "executable", "check_file"]),
  name: about(text, "a repo path, a part of a file, `../` and a name above the repo, or the path of an executable"),
  digest: about(text, "of the contents, whatever the mode; `gone` if there was nothing"),
  word: v.optional(about(text, "the word that was looked up on PATH, of an executable"), ""),
  was: v.optional(about(text, "the text of a script, redacted and cut"), ""),
  size: v.optional(about(v.nullable(v.number()), "bytes of the file that it is; missing for anything else"), null),
  unlisted: v.optional(about(v.boolean(), "git ignored it, or it was outside the repo"), false),
});

/** watched.json of a pass. */
export const watchShape = v.object({
  checks: about(texts, "SHA-256 of the words of each check that was unfolded, sorted"),
  globs: about(texts, "`watched` of the contract"),
  tools: about(texts, "those that the checks name and that have settings of their own, sorted"),
  folders: about(texts, "repo folders that the checks work in beside the repo itself, sorted"),
  locks: v.optional(about(recordOf(text), "lockfiles of package managers by repo path, with their digests"), {}),
  rest: about(
    v.nullable(v.object({ after: text, count: v.number(), digest: text })),
    "the test files beyond the bound, as one; null if there are none",
  ),
  things: about(v.array(thing), "what is watched, sorted by kind, name and word"),
});

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

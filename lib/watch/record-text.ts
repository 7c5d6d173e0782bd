import { readShape } from "../text/shape.ts";
import { gone } from "./places.ts";
import { sortThings, type WatchedThing, type WatchRecord } from "./record.ts";
import { watchShape } from "./record-shape.ts";

/** The record as JSON, one watched thing a line: the same record gives the same bytes. */
export function formatWatch(record: WatchRecord): string {
  const lines = record.things.map((thing) => `  ${JSON.stringify(packThing(thing))}`);
  const { version, checks, globs, tools, folders, locks, rest } = record;
  const start = JSON.stringify({ version, checks, globs, tools, folders, locks, rest });
  return `${start.slice(0, -1)},"things":[\n${lines.join(",\n")}\n]}\n`;
}

/** How many things are watched; what was absent at the time is not a thing yet. */
export function countWatch({ things, rest }: WatchRecord): number {
  return things.filter(({ digest }) => digest !== gone).length + (rest?.count ?? 0);
}

/** The record of a text that `formatWatch` wrote, in this version or in an earlier one; null for any other text. */
export function parseWatch(text: string): WatchRecord | null {
  const read = readShape(watchShape, text);
  if (read.kind === "wrong") return null;
  // In version 1 a Rust source file with tests in it counted as a test.
  const things = read.value.things.filter(({ inline }) => inline !== true).map(({ inline: _, ...thing }) => thing);
  return { ...read.value, things: sortThings(things) };
}

/** Keys in one order; what is empty is left out. */
function packThing({ kind, name, digest, word, was, size, unlisted }: WatchedThing): unknown {
  const texts = { ...(word === "" ? {} : { word }), ...(was === "" ? {} : { was }) };
  return { kind, name, digest, ...texts, ...(size === null ? {} : { size }), ...(unlisted ? { unlisted } : {}) };
}

import { watchedKinds } from "../machine/facts.ts";
import { isObject } from "./manifests.ts";
import { gone } from "./places.ts";
import { sortThings, type WatchedThing, type WatchRecord } from "./record.ts";

/** The record as JSON, one watched thing a line: the same record gives the same bytes. */
export function formatWatch(record: WatchRecord): string {
  const lines = record.things.map((thing) => `  ${JSON.stringify(packThing(thing))}`);
  const { version, checks, globs, tools, folders, locks, rest } = record;
  const start = JSON.stringify({ version, checks, globs, tools, folders, locks, rest });
  return `${start.slice(0, -1)},"things":[\n${lines.join(",\n")}\n]}\n`;
}

/** How many things are watched; what was absent at the time is no thing yet. */
export function countWatch({ things, rest }: WatchRecord): number {
  return things.filter(({ digest }) => digest !== gone).length + (rest?.count ?? 0);
}

/** The record of a text that `formatWatch` wrote, in this version or in an earlier one; null for any other text. */
export function parseWatch(text: string): WatchRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || (value.version !== 1 && value.version !== 2)) return null;
    const [checks, globs, tools, folders] = [value.checks, value.globs, value.tools, value.folders].map(readTexts);
    const locks = readDigests(value.locks ?? {});
    if (!checks || !globs || !tools || !folders || !locks || !Array.isArray(value.things)) return null;
    const things: WatchedThing[] = [];
    for (const one of value.things as unknown[]) {
      const thing = unpackThing(one);
      if (thing === null) return null;
      // In version 1 a Rust source file with tests in it counted as a test.
      if (!(isObject(one) && one.inline === true)) things.push(thing);
    }
    const rest = readRest(value.rest);
    if (rest === undefined) return null;
    return { version: value.version, checks, globs, tools, folders, locks, things: sortThings(things), rest };
  } catch {
    return null;
  }
}

/** Keys in one order; what is empty is left out. */
function packThing({ kind, name, digest, word, was, size, unlisted }: WatchedThing): unknown {
  const texts = { ...(word === "" ? {} : { word }), ...(was === "" ? {} : { was }) };
  return { kind, name, digest, ...texts, ...(size === null ? {} : { size }), ...(unlisted ? { unlisted } : {}) };
}

function unpackThing(value: unknown): WatchedThing | null {
  if (!isObject(value)) return null;
  const { name, digest } = value;
  const kind = watchedKinds.find((one) => one === value.kind);
  const [word, was, size] = [value.word ?? "", value.was ?? "", value.size ?? null];
  if (kind === undefined || kind === "file" || kind === "count" || kind === "mark") return null;
  if (typeof name !== "string" || typeof digest !== "string") return null;
  if (typeof word !== "string" || typeof was !== "string") return null;
  if (size !== null && typeof size !== "number") return null;
  return { kind, name, digest, word, was, size, unlisted: value.unlisted === true };
}

function readTexts(value: unknown): string[] | null {
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : null;
}

function readDigests(value: unknown): Record<string, string> | null {
  if (!isObject(value)) return null;
  const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return texts.length === Object.keys(value).length ? Object.fromEntries(texts) : null;
}

/** Undefined for what is no such value. */
function readRest(value: unknown): WatchRecord["rest"] | undefined {
  if (value === null) return null;
  if (!isObject(value)) return undefined;
  const { after, count, digest } = value;
  if (typeof after !== "string" || typeof count !== "number" || typeof digest !== "string") return undefined;
  return { after, count, digest };
}

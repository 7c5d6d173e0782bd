import { watchedKinds } from "../machine/facts.ts";
import { gone } from "./places.ts";
import { sortThings, type WatchedPart, type WatchedTest, type WatchedThing, type WatchRecord } from "./record.ts";

/** The record as JSON, one watched thing a line: the same record gives the same bytes. */
export function formatWatch(record: WatchRecord): string {
  const { things, ...head } = record;
  const lines = things.map((thing) => `  ${JSON.stringify(packThing(thing))}`);
  const { version, checks, globs, tools, folders, rest } = head;
  const start = JSON.stringify({ version, checks, globs, tools, folders, rest });
  return `${start.slice(0, -1)},"things":[\n${lines.join(",\n")}\n]}\n`;
}

/** How many things are watched; what was absent at the time is no thing yet. */
export function countWatch({ things, rest }: WatchRecord): number {
  return things.filter(({ digest }) => digest !== gone).length + (rest?.count ?? 0);
}

/** The record of a text that `formatWatch` wrote; null for any other. */
export function parseWatch(text: string): WatchRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value.version !== 1) return null;
    const things = value.things;
    const lists = [value.checks, value.globs, value.tools, value.folders].map(readTexts);
    const [checks, globs, tools, folders] = lists;
    if (!checks || !globs || !tools || !folders || !Array.isArray(things)) return null;
    const read = things.map(unpackThing);
    if (read.includes(null)) return null;
    const rest = readRest(value.rest);
    if (rest === undefined) return null;
    return { version: 1, checks, globs, tools, folders, things: sortThings(read as WatchedThing[]), rest };
  } catch {
    return null;
  }
}

/** Keys in one order; what is empty is left out. Hashes as one text, since there are many. */
function packThing(thing: WatchedThing): unknown {
  if (thing.kind !== "test") {
    const { kind, name, digest, word, was, size } = thing;
    const texts = { ...(word === "" ? {} : { word }), ...(was === "" ? {} : { was }) };
    return { kind, name, digest, ...texts, ...(size === null ? {} : { size }) };
  }
  const { kind, name, digest, profile, inline } = thing;
  const counts =
    profile === null
      ? {}
      : { tests: profile.tests, skips: profile.skips.join(" "), asserts: profile.asserts.join(" ") };
  return { kind, name, digest, ...counts, ...(inline ? { inline } : {}) };
}

function unpackThing(value: unknown): WatchedThing | null {
  if (!isObject(value)) return null;
  const { kind, name, digest } = value;
  if (typeof name !== "string" || typeof digest !== "string") return null;
  if (kind === "test") return unpackTest(value, name, digest);
  const known = watchedKinds.find((one) => one === kind);
  if (known === undefined || known === "test" || known === "file") return null;
  const [word, was, size] = [value.word ?? "", value.was ?? "", value.size ?? null];
  if (typeof word !== "string" || typeof was !== "string") return null;
  if (size !== null && typeof size !== "number") return null;
  return { kind: known, name, digest, word, was, size } satisfies WatchedPart;
}

function unpackTest(value: Record<string, unknown>, name: string, digest: string): WatchedTest | null {
  const { tests, skips, asserts } = value;
  const inline = value.inline === true;
  if (tests === undefined) return { kind: "test", name, digest, profile: null, inline };
  if (typeof tests !== "number" || typeof skips !== "string" || typeof asserts !== "string") return null;
  return {
    kind: "test",
    name,
    digest,
    profile: { tests, skips: readHashes(skips), asserts: readHashes(asserts) },
    inline,
  };
}

function readHashes(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}

function readTexts(value: unknown): string[] | null {
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : null;
}

/** Undefined where it is no such value. */
function readRest(value: unknown): WatchRecord["rest"] | undefined {
  if (value === null) return null;
  if (!isObject(value)) return undefined;
  const { after, count, digest } = value;
  if (typeof after !== "string" || typeof count !== "number" || typeof digest !== "string") return undefined;
  return { after, count, digest };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

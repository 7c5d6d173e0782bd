import { readRegularFile } from "../store/read-file.ts";
import { sha256 } from "../text/sha256.ts";
import type { Language } from "./language.ts";
import { languageOf } from "./languages.ts";
import { countLines } from "./offsets.ts";
import { absolutePath, lastPart } from "./places.ts";
import { findReturns } from "./returns.ts";
import { scanSource } from "./scan-source.ts";
import { countTests, findAssertions, findSkips, type Statement } from "./statements.ts";
import { isSnapshot } from "./test-paths.ts";
import { findUncalled } from "./uncalled.ts";

export const maxTestBytes = 1024 * 1024;

/** What is in a test file. */
export interface TestProfile {
  readonly tests: number;
  readonly skips: readonly Statement[];
  readonly asserts: readonly Statement[];
}

export type ReadTest =
  | { readonly kind: "read"; readonly profile: TestProfile }
  /** No language of the table: only its digest counts. */
  | { readonly kind: "plain" }
  /** `problem` goes on after "it is", as `a link`. */
  | { readonly kind: "unreadable"; readonly problem: string };

/** Reads a test file and counts. Opens nothing but regular files, and reads at most 1 MB. */
export function readTest(repo: string, path: string): ReadTest {
  const language = languageOf(lastPart(path));
  if (language === null && !isSnapshot(path)) return { kind: "plain" };
  const read = readRegularFile(absolutePath(repo, path), maxTestBytes);
  if (read.kind === "too_big") return { kind: "unreadable", problem: "larger than 1 MB" };
  if (read.kind === "unreadable") return { kind: "unreadable", problem: `not readable (${read.code})` };
  if (read.kind !== "file") return { kind: "unreadable", problem: kindWords[read.kind] };
  if (read.bytes.includes(0)) return { kind: "unreadable", problem: "no text" };
  const text = read.bytes.toString("utf8");
  return { kind: "read", profile: language === null ? profileSnapshot(text) : profileTest(text, language) };
}

const kindWords = { missing: "gone", link: "a link", folder: "a folder", special: "a pipe or a device" } as const;

export function profileTest(text: string, language: Language): TestProfile {
  const plain = text.replaceAll("\r\n", "\n");
  const scanned = scanSource(plain, language.family);
  const asserts = findAssertions(scanned, language);
  return {
    tests: countTests(scanned, language),
    skips: [
      ...buildTags(plain, language),
      ...findSkips(scanned, language),
      ...findReturns(scanned, language, asserts),
      ...findUncalled(scanned, language),
    ],
    asserts,
  };
}

/** In Go a comment above the package can leave the whole file out. */
function buildTags(text: string, { name }: Language): Statement[] {
  if (name !== "Go") return [];
  const lineAt = countLines(text);
  return [...text.matchAll(/^\/\/[ \t]*(?:go:build|\+build)\b[^\n]*/gm)].map((match) => ({
    hash: sha256(match[0].replace(/\s+/g, "")).slice(0, 12),
    line: lineAt(match.index),
    text: match[0],
    at: match.index,
  }));
}

/** Each entry of a snapshot is what a test expects. One of an unknown form is one entry. */
function profileSnapshot(text: string): TestProfile {
  const starts = [...text.matchAll(/^(?:exports\[|# name:)/gm)].map((match) => match.index);
  const edges = starts.length === 0 ? [0] : starts;
  const lineAt = countLines(text);
  const asserts = edges.map((start, index): Statement => {
    const entry = text.slice(start, edges[index + 1]).trim();
    return {
      hash: sha256(entry).slice(0, 12),
      line: lineAt(start),
      text: entry.split("\n", 1)[0] ?? "",
      at: start,
    };
  });
  return { tests: 0, skips: [], asserts: text.trim() === "" ? [] : asserts };
}

import type { SourceFamily } from "./source-families.ts";

/** How tests look in one language. Searched where comments and the contents of strings are blanked. */
export interface Language {
  readonly name: string;
  /** What its files are called. */
  readonly files: RegExp;
  /** What its test files are called, wherever they stand. */
  readonly testFiles: RegExp | null;
  readonly family: SourceFamily;
  /** One match a test. */
  readonly tests: RegExp;
  /** One match a mark by which a test, or what is in it, is not run. */
  readonly skips: RegExp;
  /** One match a statement that asserts something. */
  readonly asserts: RegExp;
  /** An assertion whose condition stands in the line before it: `if got != want {`. */
  readonly failures?: RegExp;
  /** What opens a table of cases; each of its lines counts as an assertion. */
  readonly tables?: RegExp;
  /** Lines that end with their line, as in Python, and not with a bracket. */
  readonly indented?: boolean;
}

/** Code that is never run. */
const dead = String.raw`\b(?:if|while)\s*\(?\s*(?:false|False|0)\s*[):{]|\bif\s*\(?\s*(?:true|True|1)\s*\)?\s*[:{]?\s*return\b|^\s*#\s*if\s+(?:0|false)\b`;
export const any = (...parts: string[]): RegExp => all(...parts, dead);
/** Repetition is bounded: a file with a megabyte of spaces, or of names with dots, must not take hours. */
export const all = (...parts: string[]): RegExp =>
  new RegExp(
    parts
      .join("|")
      .replaceAll(String.raw`\s*`, String.raw`\s{0,40}`)
      .replaceAll(String.raw`\w+)*`, String.raw`\w+){0,6}`),
    "gm",
  );
export const raw = String.raw;

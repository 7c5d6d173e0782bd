import type { WatchedKind } from "../machine/facts.ts";

/** The repo as it stands, and whose checks and globs say what of it is watched. */
export interface WatchInput {
  /** Its real path. */
  readonly repo: string;
  /** Validators and scenarios. */
  readonly checks: readonly { readonly name: string; readonly command: readonly string[] }[];
  /** `watched` of the contract. */
  readonly globs: readonly string[];
  /** Repo paths of folders that no glob means, since they are no part of the repo's contents: task folders. */
  readonly leaveOut?: readonly string[];
  /** Those of its fingerprint: repo path to `type mode digest`. */
  readonly entries: ReadonlyMap<string, string>;
  /** PATH. */
  readonly searchPath: string;
  redact(text: string): string;
}

/** A file with tests, or one that tests need. */
export interface WatchedTest {
  readonly kind: "test";
  /** Repo path, see `pathKey`. */
  readonly name: string;
  readonly digest: string;
  /** Null where no language of the table could be read in it: only its digest counts. */
  readonly profile: {
    readonly tests: number;
    /** 12 hex digits for each line that holds a skip mark, in the order of the file. */
    readonly skips: readonly string[];
    /** 12 hex digits for each assertion. */
    readonly asserts: readonly string[];
  } | null;
  /** Tests within a source file, as in Rust: other changes of the file are not told. */
  readonly inline: boolean;
}

/** What a check runs or reads. */
export interface WatchedPart {
  readonly kind: Exclude<WatchedKind, "test" | "file">;
  /** Repo path, part of a file, or the absolute path of an executable. */
  readonly name: string;
  /** `gone` where nothing stood, and something that appears there would be run. */
  readonly digest: string;
  /** Of an executable that PATH decides on: the word that was looked up. Else empty. */
  readonly word: string;
  /** Of a script its text, redacted and cut, to be told beside the new one. Else empty. */
  readonly was: string;
  /** Bytes of the file that it is, in the end of its links; null for a part of a file, and where no file is. */
  readonly size: number | null;
}

export type WatchedThing = WatchedTest | WatchedPart;

/** What is watched and what it was. */
export interface WatchRecord {
  readonly version: 1;
  /** SHA-256 of the words of each check that was unfolded, sorted. */
  readonly checks: readonly string[];
  readonly globs: readonly string[];
  /** The tools that the checks name, of those that have settings of their own; sorted. */
  readonly tools: readonly string[];
  /** Repo folders that the checks work in beside the repo's own; sorted. */
  readonly folders: readonly string[];
  /** Sorted by kind, name and word. */
  readonly things: readonly WatchedThing[];
  /** The test files beyond the bound, as one; null where there are none. */
  readonly rest: { readonly after: string; readonly count: number; readonly digest: string } | null;
}

export function sortThings(things: readonly WatchedThing[]): WatchedThing[] {
  return [...things].sort((left, right) => {
    const [a, b] = [keyOf(left), keyOf(right)];
    return a < b ? -1 : a > b ? 1 : 0;
  });
}

/** One text for one watched thing. */
export function keyOf(thing: WatchedThing): string {
  return [thing.kind, thing.name, thing.kind === "test" ? "" : thing.word].join("\0");
}

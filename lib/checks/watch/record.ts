import type { WatchedChange, WatchedKind } from "../../rules/watched.ts";

/** The repo as it is now, and whose checks and globs say what of it is watched. */
export interface WatchInput {
  /** Its real path. */
  readonly repo: string;
  /** Validators and scenarios. */
  readonly checks: readonly { readonly name: string; readonly command: readonly string[] }[];
  /** `watched` of the contract. */
  readonly globs: readonly string[];
  /** Repo paths of folders that no glob means, since they are no part of the repo's contents: task folders. */
  readonly leaveOut?: readonly string[];
  /** The entries of its fingerprint: repo path to `type mode digest`. */
  readonly entries: ReadonlyMap<string, string>;
  /** PATH. */
  readonly searchPath: string;
  /** The home folder: settings are looked for in the folders above the repo up to it, or up to the root. */
  readonly home: string;
  redact(text: string): string;
}

/** A test file, or what a check runs or reads. */
export interface WatchedThing {
  /** `test` also for what only a glob of the contract names. */
  readonly kind: Exclude<WatchedKind, "file" | "count" | "mark">;
  /**
   * Repo path (see `pathKey`), part of a file, `../` and a name above the repo, or an absolute path of an executable.
   */
  readonly name: string;
  /**
   * Digest of the contents, whatever the mode; `gone` if there was nothing, and something that appears there would be
   * run.
   */
  readonly digest: string;
  /** For an executable found on PATH, the word that was looked up; else empty. */
  readonly word: string;
  /** For a script, its text, redacted and cut, to be shown beside the new one; else empty. */
  readonly was: string;
  /**
   * Bytes of the file that it is, at the end of its links; null for a part of a file, for a test, and if there is no
   * file.
   */
  readonly size: number | null;
  /** Git ignored it, or it was outside the repo: no fingerprint lists it. */
  readonly unlisted: boolean;
}

/** A watched entry and its former state. */
export interface WatchRecord {
  /** SHA-256 of the words of each check that was unfolded, sorted. */
  readonly checks: readonly string[];
  readonly globs: readonly string[];
  /** The tools that the checks name, of those that have settings of their own; sorted. */
  readonly tools: readonly string[];
  /** Repo folders that the checks work in beside the repo's own; sorted. */
  readonly folders: readonly string[];
  /** Lockfiles of package managers by repo path, with the digests of their contents. */
  readonly locks: Readonly<Record<string, string>>;
  /** Sorted by kind, name and word. */
  readonly things: readonly WatchedThing[];
  /** The test files beyond the bound, as one; null if there are none. */
  readonly rest: { readonly after: string; readonly count: number; readonly digest: string } | null;
}

export function sortThings(things: readonly WatchedThing[]): WatchedThing[] {
  return [...things].sort((left, right) => {
    const [a, b] = [keyOf(left), keyOf(right)];
    return a < b ? -1 : a > b ? 1 : 0;
  });
}

export function keyOf({ kind, name, word }: WatchedThing): string {
  return [kind, name, word].join("\0");
}

/** A change before anybody answered it. */
export type FoundChange = Omit<WatchedChange, "answer" | "answer_by" | "side"> & Required<Pick<WatchedChange, "side">>;

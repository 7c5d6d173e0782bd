import * as v from "valibot";
import type { WatchedChange } from "../../rules/watched.ts";
import { about, recordOf, type Shape } from "../../text/shape.ts";

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
  readonly searchPath: string;
  /** The home folder: settings are looked for in the folders above the repo up to it, or up to the root. */
  readonly home: string;
  redact(text: string): string;
}

const text = v.string();
const texts = v.array(text);

const thingShape = v.object({
  /** `test` also for what only a glob of the contract names. */
  kind: v.picklist(["test", "script", "setting", "executable", "check_file"]),
  name: about(text, "a repo path, a part of a file, `../` and a name above the repo, or the path of an executable"),
  /** Also `gone` if something that appears there would be run. */
  digest: about(text, "of the contents, whatever the mode; `gone` if there was nothing"),
  word: v.optional(about(text, "the word that was looked up on PATH, of an executable"), ""),
  was: v.optional(about(text, "the text of a script, redacted and cut"), ""),
  /** At the end of its links. */
  size: v.optional(about(v.nullable(v.number()), "bytes of the file that it is; missing for anything else"), null),
  unlisted: v.optional(about(v.boolean(), "git ignored it, or it was outside the repo"), false),
});

/** A test file, or what a check runs or reads. */
export type WatchedThing = Shape<typeof thingShape>;

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
  things: about(v.array(thingShape), "what is watched, sorted by kind, name and word"),
});

/** A watched entry and its former state. */
export type WatchRecord = Shape<typeof watchShape>;

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

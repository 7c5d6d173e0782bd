import * as v from "valibot";
import { about, recordOf } from "../text/shape.ts";

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
  inline: v.exactOptional(about(v.boolean(), "only in version 1: a source file with tests in it")),
});

/** watched.json of a pass, in this version or in an earlier one. */
export const watchShape = v.object({
  version: about(v.picklist([1, 2]), "1: written when tests were compared by their words"),
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

import path from "node:path";
import { type ParseError, parse as parseJson } from "jsonc-parser";
import { parse } from "smol-toml";
import { statEntry } from "../../store/folder.ts";
import { readText } from "../../store/read-file.ts";
import { orElse } from "../../text/attempt.ts";
import { asObject } from "../../text/json-object.ts";

const maxBytes = 1 << 20;

/** The top of a repo, as far as the files that name its commands go. Links are not followed. */
export interface RepoFiles {
  has(name: string): boolean;
  /** Null if it is no readable file. */
  text(name: string): string | null;
  /** The file as an object; null if it is none. Comments are read over in `.jsonc` and `deno.json`. */
  json(name: string): Readonly<Record<string, unknown>> | null;
  toml(name: string): Readonly<Record<string, unknown>> | null;
}

export function repoFiles(repo: string): RepoFiles {
  const text = (name: string) => readText(path.join(repo, name), maxBytes)?.replace(/^\ufeff/, "") ?? null;
  return {
    text,
    has: (name) => statEntry(path.join(repo, name)) !== null,
    json: (name) => objectOf(text(name), /^deno\.|\.jsonc$/.test(name) ? parseComments : JSON.parse),
    toml: (name) => objectOf(text(name), parse),
  };
}

function objectOf(text: string | null, read: (text: string) => unknown): Readonly<Record<string, unknown>> | null {
  // Its own tools say what is wrong with it; no command is found in it.
  return orElse(() => (text === null ? null : asObject(read(text))), null);
}

function parseComments(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true });
  return errors.length === 0 ? value : null;
}

/** A folder and those above it, up to this one; this one alone if the folder is not in it. */
export function foldersUp(folder: string, top: string): string[] {
  const inside = path.relative(top, folder);
  if (inside === ".." || inside.startsWith(`..${path.sep}`)) return [top];
  return folder === top ? [top] : [folder, ...foldersUp(path.dirname(folder), top)];
}

/** A command of the repo's own, and the file that names it. */
export interface FoundCheck {
  /** `tests`: shows whether the work is there. `lint` and `types` pass or fail whatever the work does. */
  readonly name: "tests" | "lint" | "types";
  readonly command: readonly string[];
  /** Completes `NAME: COMMAND (...)`. */
  readonly why: string;
}

export interface FoundChecks {
  readonly checks: readonly FoundCheck[];
  /** Why a file that could have named a test command did not. */
  readonly notes: readonly string[];
}

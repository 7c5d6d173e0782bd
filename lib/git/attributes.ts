import { type GitOptions, splitNul } from "./git-answer.ts";
import { filterNames, type GitSettings, readSettings, runInRepository } from "./git-settings.ts";
import type { GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";
import { joinNul } from "./stage.ts";

const converting = ["filter", "text", "crlf", "eol", "ident", "working-tree-encoding"] as const;

type Converting = (typeof converting)[number];

/**
 * Attributes of these paths by the `.gitattributes` files on disk, by path as latin1. `.git/info/attributes` and the
 * person's own files do not reach a clone, and do not count. Throws TP_GIT.
 */
export async function readAttributes(
  place: GitPlace,
  paths: readonly Buffer[],
  options: Pick<GitOptions, "env" | "variables">,
): Promise<ReadonlyMap<string, ReadonlyMap<Converting, string>>> {
  const found = new Map<string, Map<Converting, string>>();
  if (paths.length === 0) return found;
  const args = ["check-attr", "-z", "--stdin", ...converting];
  const { stdout } = await runGit(place, args, { ...options, input: joinNul(paths) });
  for (const { path, name, value } of splitTriples(stdout)) {
    const attribute = converting.find((one) => one === name);
    if (attribute === undefined || value === "unspecified") continue;
    const known = found.get(path) ?? new Map<Converting, string>();
    found.set(path, known.set(attribute, value));
  }
  return found;
}

/**
 * Paths, as latin1, whose configured filter would make a person's git store or write other bytes than theirs.
 * `.git/info/attributes` and the person's own rules count here; `cached` adds rules of the index. `settings`: as they were
 * read for the same commit; missing: they are read anew. `also`: a filter that counts without its settings. Throws TP_GIT.
 */
export async function listFiltered(
  place: GitPlace,
  paths: readonly Buffer[],
  options: Pick<GitOptions, "env" | "variables"> & {
    readonly cached?: boolean;
    readonly settings?: GitSettings;
    readonly also?: string;
  },
): Promise<Set<string>> {
  const names = filterNames(options.settings ?? (await readSettings(place, options.env)));
  if (options.also !== undefined) names.add(options.also);
  if (names.size === 0 || paths.length === 0) return new Set();
  const args = ["-z", "--stdin", ...(options.cached === true ? ["--cached"] : []), "filter"];
  const { variables = {} } = options;
  const input = joinNul(paths);
  const { stdout } = await runInRepository(place, ["check-attr", ...args], options.env, { input, variables });
  const filtered = splitTriples(stdout).filter(({ value }) => names.has(value));
  return new Set(filtered.map(({ path }) => path));
}

function splitTriples(list: Buffer): { path: string; name: string; value: string }[] {
  const parts = splitNul(list);
  return Array.from({ length: Math.floor(parts.length / 3) }, (_, index) => {
    const [path = Buffer.alloc(0), name, value] = parts.slice(3 * index, 3 * index + 3);
    return { path: path.toString("latin1"), name: String(name), value: String(value) };
  });
}

/** Attributes that never affect writing, comparing or merging files. */
const forShow = /^[-!]?(?:linguist-[\w-]+(?:=.*)?|diff)$/;

export function onlyForShow(text: string): boolean {
  return text.split(/\r?\n/).every((line) => {
    const rule = line.trim();
    if (rule === "" || rule.startsWith("#")) return true;
    if (rule.startsWith("[attr]")) return false;
    // A pattern may be quoted, with spaces.
    const attributes = rule.replace(/^(?:"(?:[^"\\]|\\.)*"|\S+)/, "").trim();
    return attributes === "" || attributes.split(/\s+/).every((one) => forShow.test(one));
  });
}

import { type GitOptions, splitNul } from "./answer.ts";
import type { GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";
import { runInRepository } from "./run-in-repository.ts";
import { filterNames, readSettings } from "./settings.ts";
import { joinNul } from "./stage.ts";

/** The attributes by which git stores other bytes than a file has, or writes other bytes than it stored. */
const converting = ["filter", "text", "crlf", "eol", "ident", "working-tree-encoding"] as const;

export type Converting = (typeof converting)[number];

/** By path, as latin1, the attributes that are given to it, with their values. Paths without any have no entry. */
export type PathAttributes = ReadonlyMap<string, ReadonlyMap<Converting, string>>;

/**
 * What the `.gitattributes` files of the repository say of these paths: those on disk. What `.git/info/attributes` and
 * the person's own files say is not shared with a clone, and does not count. Throws TP_GIT.
 */
export async function readAttributes(
  place: GitPlace,
  paths: readonly Buffer[],
  options: Pick<GitOptions, "env" | "variables">,
): Promise<PathAttributes> {
  const found = new Map<string, Map<Converting, string>>();
  if (paths.length === 0) return found;
  const args = ["check-attr", "-z", "--stdin", ...converting];
  const { stdout } = await runGit(place, args, { ...options, cwd: place.top, input: joinNul(paths) });
  for (const { path, name, value } of splitTriples(stdout)) {
    const attribute = converting.find((one) => one === name);
    if (attribute === undefined || value === "unspecified") continue;
    const known = found.get(path) ?? new Map<Converting, string>();
    found.set(path, known.set(attribute, value));
  }
  return found;
}

/**
 * The paths to which a rule gives a filter that someone configured, as latin1: a person's git would store, or write,
 * other bytes than theirs. `.git/info/attributes` and the person's own rules count here, and so do rules of the index
 * with `cached`. The settings are read again each time. Throws TP_GIT.
 */
export async function listFiltered(
  place: GitPlace,
  paths: readonly Buffer[],
  options: Pick<GitOptions, "env" | "variables"> & { readonly cached?: boolean },
): Promise<Set<string>> {
  const names = filterNames(await readSettings(place, options.env));
  if (names.size === 0 || paths.length === 0) return new Set();
  const args = ["-z", "--stdin", ...(options.cached === true ? ["--cached"] : []), "filter"];
  const { variables = {} } = options;
  const input = joinNul(paths);
  const { stdout } = await runInRepository(place, ["check-attr", ...args], options.env, { input, variables });
  return new Set(
    splitTriples(stdout)
      .filter(({ value }) => names.has(value))
      .map(({ path }) => path),
  );
}

function splitTriples(list: Buffer): { path: string; name: string; value: string }[] {
  const parts = splitNul(list);
  return Array.from({ length: Math.floor(parts.length / 3) }, (_, index) => {
    const [path = Buffer.alloc(0), name, value] = parts.slice(3 * index, 3 * index + 3);
    return { path: path.toString("latin1"), name: String(name), value: String(value) };
  });
}

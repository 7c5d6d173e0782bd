import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { joinLines, splitNul } from "./git-answer.ts";
import { readSettings } from "./git-settings.ts";
import type { TreeEntry } from "./list-tree.ts";
import { askPlain } from "./objects.ts";
import type { GitPlace } from "./place.ts";

export interface CommitNode {
  readonly sha: string;
  readonly parents: readonly string[];
}

export interface PathChange {
  /** Bytes as latin1, from the top. */
  readonly path: string;
  readonly entry: TreeEntry | null;
}

/** Unescaped; not safe to print. */
export interface CommitWords {
  readonly short: string;
  readonly author: string;
  readonly date: string;
  readonly subject: string;
}

export function isShallow(place: GitPlace): boolean {
  const file = join(place.commonDir, "shallow");
  return existsSync(file) && statSync(file).size > 0;
}

/** Whether the clone may lack blobs. Throws TP_GIT. */
export async function isPartial(place: GitPlace, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { repo } = await readSettings(place, env);
  return repo.some(([key]) => key === "extensions.partialclone" || /^remote\..*\.promisor$/s.test(key));
}

/** Every commit reachable from these, parents first; from HEAD if none is given. Throws TP_GIT. */
export async function listCommits(
  place: GitPlace,
  env: NodeJS.ProcessEnv,
  tips: readonly string[] | null = null,
): Promise<CommitNode[]> {
  const from = tips ?? (await findHead(place, env));
  if (from.length === 0) return [];
  const args = ["rev-list", "--topo-order", "--reverse", "--parents", "--stdin"];
  const { stdout } = await askPlain(place, args, env, { input: joinLines(from) });
  return stdout
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [sha = "", ...parents] = line.split(" ");
      return { sha, parents };
    });
}

async function findHead(place: GitPlace, env: NodeJS.ProcessEnv): Promise<string[]> {
  const head = await askPlain(place, ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"], env, { accept: [0, 1] });
  return head.exitCode === 0 ? [head.stdout.toString("latin1").trim()] : [];
}

/**
 * These files of every folder directly in the one that paths begin with: `prefix` is empty or has a final slash, its
 * bytes as latin1. A byte beyond ASCII, which would reach git as another, matches any: compare the paths as well.
 */
export function pathspecsBelow(prefix: string, files: readonly string[]): string[] {
  const plain = prefix.replace(/[\\*?[\]]/g, "\\$&").replace(/[^\x20-\x7e]/g, "?");
  return files.map((file) => `:(top,glob)${plain}*/${file}`);
}

/** Against the first parent, by commit; unchanged ones have no entry. `pathspecs` are git's own. Throws TP_GIT. */
export async function listChanges(
  place: GitPlace,
  commits: readonly CommitNode[],
  pathspecs: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, readonly PathChange[]>> {
  const changes = new Map<string, PathChange[]>();
  if (commits.length === 0) return changes;
  const flags = ["--stdin", "--root", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff"];
  const input = joinLines(commits.map(({ sha, parents: [first] }) => (first === undefined ? sha : `${sha} ${first}`)));
  const { stdout } = await askPlain(place, ["diff-tree", ...flags, "--", ...pathspecs], env, { input });
  const parts = splitNul(stdout);
  let list: PathChange[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]?.toString("latin1") ?? "";
    if (!part.startsWith(":")) {
      list = [];
      changes.set(part, list);
      continue;
    }
    const [, mode = "", , oid = ""] = part.slice(1).split(" ");
    at++;
    list.push({ path: parts[at]?.toString("latin1") ?? "", entry: mode === "000000" ? null : { mode, oid } });
  }
  return changes;
}

export async function readCommits(
  place: GitPlace,
  shas: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, CommitWords>> {
  if (shas.length === 0) return new Map();
  const format = ["%H", "%h", "%aI", "%an", "%s"].join("%x1f");
  const stdout = await showEach(place, shas, format, env);
  return new Map(
    splitNul(stdout).map((entry) => {
      const [sha = "", short = "", date = "", author = "", ...subject] = entry.toString("utf8").split("\x1f");
      return [sha.trim(), { short, author, date, subject: subject.join(" ") }];
    }),
  );
}

/** `format` of each commit, ended by NUL, without looking at signatures. */
async function showEach(place: GitPlace, shas: readonly string[], format: string, env: NodeJS.ProcessEnv) {
  const never = ["--no-color", "--no-show-signature", "--no-notes", "--no-patch"];
  const args = ["log", "--no-walk=unsorted", "--stdin", "-z", ...never, "--encoding=UTF-8", `--format=${format}`];
  return (await askPlain(place, args, env, { input: joinLines(shas) })).stdout;
}

/** The commits whose trailers record a runner's verdict or stop, with its task; not safe to print. Throws TP_GIT. */
export async function listVerdictCommits(
  place: GitPlace,
  shas: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string>> {
  if (shas.length === 0) return new Map();
  const trailers = ["Verdict", "Task"].map((name) => `%(trailers:key=Task-Phase-${name},valueonly)`);
  const stdout = await showEach(place, shas, ["%H", ...trailers].join("%x1f"), env);
  return new Map(
    splitNul(stdout).flatMap((entry) => {
      const [sha = "", verdict = "", task = ""] = entry.toString("utf8").split("\x1f");
      return verdict.trim() === "" ? [] : [[sha.trim(), task.trim()] as const];
    }),
  );
}

import { join } from "node:path";
import { statEntry } from "../store/folder.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { codeFilter, insideOf, isRuntime, isUnder, keyInside } from "./stage.ts";

export interface Head {
  readonly commit: string;
  readonly tree: string;
  /** Such as `refs/heads/main`; null if detached. */
  readonly ref: string | null;
}

/** Null before the first commit. Throws TP_GIT. */
export async function readHead(place: GitPlace, env: NodeJS.ProcessEnv): Promise<Head | null> {
  const args = ["rev-parse", "-q", "HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD"];
  const end = await runGit(place, args, { env, accept: [0, 1, 128] });
  const [commit = "", tree = "", ref = ""] = end.stdout.toString("utf8").trim().split("\n");
  if (end.exitCode !== 0 || tree === "") return null;
  return { commit, tree, ref: ref.startsWith("refs/") ? ref : null };
}

/** The git operation that a person has begun; null if there is none. */
export function findUnfinished(place: GitPlace): string | null {
  const signs: readonly (readonly [string, string])[] = [
    ["MERGE_HEAD", "merge"],
    ["rebase-merge", "rebase"],
    ["rebase-apply", "rebase"],
    ["CHERRY_PICK_HEAD", "cherry-pick"],
    ["REVERT_HEAD", "revert"],
    ["BISECT_START", "bisect"],
  ];
  return signs.find(([name]) => statEntry(join(place.gitDir, name)) !== null)?.[1] ?? null;
}

export function busyFinding(place: GitPlace, act: "committed" | "pushed", what: string): Finding {
  const message = `not ${act}: a ${what} is in progress in ${place.top}`;
  return warningFinding("TP_GIT_BUSY", message, {
    file: place.top,
    fix: `finish the ${what}; the next run of the task does it then`,
  });
}

export type RepoStatus = Readonly<Awaited<ReturnType<typeof readStatus>>>;

/** `dirty`: the code differs from HEAD, outside the absolute paths of `leaveOut`. Throws TP_GIT. */
export async function readStatus(place: GitPlace, repo: string, leaveOut: readonly string[], env: NodeJS.ProcessEnv) {
  const inside = insideOf(place, repo) ?? Buffer.alloc(0);
  const isCode = codeFilter(place, leaveOut);
  const form = ["--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--ignore-submodules=all", "--no-renames"];
  const { stdout } = await runGit(place, ["status", ...form, "--untracked-files=all"], { env });
  const lines = splitNul(stdout);
  const texts = lines.map(String);
  const told = (key: string): string | null => {
    const head = `# branch.${key} `;
    const value = texts.find((line) => line.startsWith(head))?.slice(head.length);
    return value === undefined || ["(initial)", "(detached)"].includes(value) ? null : value;
  };
  const changed = lines.map(changedPath).filter((path) => path !== null && isUnder(path, inside) && isCode(path));
  return { commit: told("oid"), branch: told("head"), dirty: changed.length > 0 };
}

/** Paths that differ from HEAD, as `pathKey` relative to `repo`, without the runner's moving parts. Throws TP_GIT. */
export async function listChanged(place: GitPlace, repo: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const inside = insideOf(place, repo) ?? Buffer.alloc(0);
  const form = ["--porcelain=v2", "-z", "--ignore-submodules=all", "--no-renames", "--untracked-files=all"];
  const { stdout } = await runGit(place, ["status", ...form], { env });
  return splitNul(stdout)
    .map(changedPath)
    .filter((path) => path !== null)
    .filter((path) => isUnder(path, inside) && !isRuntime(path))
    .map((path) => keyInside(inside, path));
}

/** Fields before the path, by the first character; see git-status, porcelain format version 2. */
const fieldsBefore: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1 };

function changedPath(line: Buffer): Buffer | null {
  const fields = fieldsBefore[String.fromCharCode(line[0] ?? 0)];
  if (fields === undefined) return null;
  let at = -1;
  for (let field = 0; field < fields; field += 1) at = line.indexOf(0x20, at + 1);
  const path = line.subarray(at + 1);
  return path.at(-1) === 0x2f ? path.subarray(0, -1) : path;
}

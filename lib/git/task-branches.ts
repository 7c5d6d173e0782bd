import { join } from "node:path";
import { readText } from "../store/read-file.ts";
import { configError } from "../text/errors.ts";
import type { FindingPlace } from "../text/finding.ts";
import { branchName, problemOfBranch } from "../text/ref-name.ts";
import { shorten } from "../text/shorten.ts";
import type { GitAnswer } from "./git-answer.ts";
import type { GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";

/** Default of `fleet.ref`. `{id}` is always the last part. */
export const usualTaskRef = "task-phase/{id}";

const heads = "refs/heads/";

/** Such as `refs/heads/task-phase/T-123`. Throws a config error TP_TASK_REF at `place`. */
export function taskRefOf(id: string, pattern: string = usualTaskRef, place: FindingPlace = {}): string {
  const branch = pattern.replace("{id}", () => id);
  const problem = id === "" ? "is empty" : id.includes("/") ? "contains a slash" : problemOfBranch(branch);
  if (problem === null) return heads + branch;
  const message = `the id ${shorten(id)} cannot be a branch (${shorten(branch, 120)}): it ${problem}`;
  const fix = "give the task an id of letters, digits, hyphens and underscores, such as T-123";
  throw configError("TP_TASK_REF", message, { ...place, fix });
}

export function idOfTaskRef(ref: string, pattern: string = usualTaskRef): string | null {
  const prefix = heads + pattern.slice(0, -"{id}".length);
  const id = ref.startsWith(prefix) ? ref.slice(prefix.length) : "";
  return id === "" || id.includes("/") ? null : id;
}

/**
 * Groups of ids whose branches coincide where file names ignore case or Unicode normalization, in the order of `ids`.
 */
export function findSameRefs(ids: readonly string[]): string[][] {
  const groups = new Map<string, Set<string>>();
  for (const id of ids) {
    const folded = id.normalize("NFC").toUpperCase().toLowerCase();
    groups.set(folded, (groups.get(folded) ?? new Set()).add(id));
  }
  return [...groups.values()].filter((group) => group.size > 1).map((group) => [...group]);
}

export function renderSameRefs(ids: readonly string[]): string {
  const names = ids.map((id) => shorten(id)).join(" and ");
  return `the ids ${names} differ in case or accents alone, so some hosts and disks take their branches for one`;
}

export interface Branch {
  /** Full name; `HEAD` if detached. */
  readonly ref: string;
  readonly commit: string;
}

export interface TaskBranch extends Branch {
  readonly id: string;
}

/** Local and fetched branches. */
export interface Refs {
  readonly objects: ReadonlyMap<string, string>;
  readonly links: ReadonlyMap<string, string>;
  /** A branch, which may not exist yet, or the commit of a detached HEAD. */
  readonly head: string;
}

export async function readRefs(place: GitPlace, env: NodeJS.ProcessEnv): Promise<Refs> {
  const git = (args: readonly string[]) => runGit(place, args, { env, accept: [0, 1] });
  // Read no objects: a missing one would end the list.
  const format = "--format=%(objectname)%00%(refname)%00%(symref)";
  const { stdout } = await git(["for-each-ref", format, "refs/heads", "refs/remotes"]);
  const objects = new Map<string, string>();
  const links = new Map<string, string>();
  for (const line of stdout.toString("utf8").split("\n")) {
    const [object = "", ref = "", link = ""] = line.split("\0");
    if (ref === "") continue;
    objects.set(ref, object);
    if (link !== "") links.set(ref, link);
  }
  return { objects, links, head: readHeadFile(place) ?? (await askHead(git)) };
}

/** As its file says it. Null: it is stored in another way, which git knows. */
function readHeadFile({ gitDir }: GitPlace): string | null {
  const text = readText(join(gitDir, "HEAD"), 4096)?.trim() ?? "";
  const ref = /^ref: (refs\/heads\/[^\s]+)$/.exec(text)?.[1] ?? null;
  return ref === "refs/heads/.invalid" ? null : (ref ?? /^[0-9a-f]{40,64}$/.exec(text)?.[0] ?? null);
}

async function askHead(git: (args: readonly string[]) => Promise<GitAnswer>): Promise<string> {
  const branch = (await git(["symbolic-ref", "-q", "HEAD"])).stdout.toString("utf8").trim();
  if (branch !== "") return branch;
  return (await git(["rev-parse", "-q", "--verify", "HEAD"])).stdout.toString("utf8").trim();
}

/** The branches that a commit goes back to, by their full names. Throws TP_GIT. */
export async function listMerged(
  place: GitPlace,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlySet<string>> {
  const { stdout } = await runGit(place, ["for-each-ref", `--merged=${commit}`, "--format=%(refname)", heads], { env });
  return new Set(stdout.toString("utf8").split("\n"));
}

/** Without what was fetched, and without tags. */
export function localRefs(refs: Refs): Refs {
  return { ...refs, objects: new Map([...refs.objects].filter(([ref]) => ref.startsWith("refs/heads/"))) };
}

/** By id; local branches come before fetched ones. */
export function listTaskBranches({ objects, links }: Refs, pattern: string): TaskBranch[] {
  const folder = `/${pattern.slice(0, -"{id}".length)}`;
  const found: TaskBranch[] = [];
  for (const [ref, commit] of objects) {
    if (links.has(ref)) continue;
    const at = ref.startsWith("refs/remotes/") ? ref.indexOf(folder, "refs/remotes/".length) : -1;
    const id = idOfTaskRef(at < 0 ? ref : `refs/heads${ref.slice(at)}`, pattern);
    if (id !== null) found.push({ id, ref, commit });
  }
  return found.sort((one, other) => (`${one.id}\0${one.ref}` < `${other.id}\0${other.ref}` ? -1 : 1));
}

/**
 * The branch that work is merged into, preferably as fetched: `named`, else the default branch of the remote or
 * repository. Null if there is none, or if HEAD is the branch of a task.
 */
export function findBase(refs: Refs, named: string | null, pattern: string): Branch | null {
  const { objects, links, head } = refs;
  const remotes = [...links].flatMap(([ref]) => /^refs\/remotes\/(.+)\/HEAD$/s.exec(ref)?.[1] ?? []);
  const known = [...new Set(["origin", ...remotes])];
  const present = (names: readonly (string | undefined)[]): Branch | null => {
    for (const ref of names) {
      const commit = ref === undefined ? undefined : objects.get(ref);
      if (ref !== undefined && commit !== undefined) return { ref, commit };
    }
    return null;
  };
  const everywhere = (branch: string) => [
    ...known.map((remote) => `refs/remotes/${remote}/${branch}`),
    `refs/heads/${branch}`,
  ];
  if (named !== null) return present(everywhere(named));
  const default_ = present(known.map((remote) => links.get(`refs/remotes/${remote}/HEAD`)));
  if (default_ !== null) return default_;
  if (idOfTaskRef(head, pattern) !== null || head === "") return null;
  if (!head.startsWith("refs/")) return { ref: "HEAD", commit: head };
  return present(everywhere(branchName(head)));
}

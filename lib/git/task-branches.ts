import { branchName } from "../text/ref-name.ts";
import type { GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";
import { idOfTaskRef } from "./task-ref.ts";

/** A branch and its last commit. */
export interface Branch {
  /** Its full name, such as `refs/heads/main`; `HEAD` if no branch is checked out. */
  readonly ref: string;
  readonly commit: string;
}

/** The branch of one task, or what was fetched of it. */
export interface TaskBranch extends Branch {
  readonly id: string;
}

/** The branches of a repository, local ones and those that were fetched. */
export interface Refs {
  /** The object of each, by its full name. */
  readonly objects: ReadonlyMap<string, string>;
  /** Where symbolic ones lead. */
  readonly links: ReadonlyMap<string, string>;
  /** What HEAD says: a branch that need not be there, or the commit that is checked out. */
  readonly head: string;
}

/** Throws TP_GIT. */
export async function readRefs(place: GitPlace, env: NodeJS.ProcessEnv): Promise<Refs> {
  const git = (args: readonly string[]) => runGit(place, args, { cwd: place.top, env, accept: [0, 1] });
  // Nothing that looks into the objects: one that is missing would end the list.
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
  const branch = (await git(["symbolic-ref", "-q", "HEAD"])).stdout.toString("utf8").trim();
  const head = branch === "" ? (await git(["rev-parse", "-q", "--verify", "HEAD"])).stdout.toString("utf8") : branch;
  return { objects, links, head: head.trim() };
}

/** The branches of tasks, by id; of one task those of this repository before those that were fetched. */
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
 * The branch that work is merged into, as it was fetched if it was: `named`, else the default branch of the remote or
 * of this repository. Null if there is none, or if what is checked out is the branch of a task.
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

import { join, relative, sep } from "node:path";
import { type LoadedConfig, loadConfig } from "../documents/config/load-config.ts";
import { bareAt, findGitPlace, type GitPlace } from "../git/place.ts";
import {
  type Branch,
  findBase,
  listTaskBranches,
  localRefs,
  type Refs,
  readRefs,
  usualTaskRef,
} from "../git/task-branches.ts";
import { checkedOutIn } from "../git/worktrees.ts";
import type { BranchLayout } from "../queue/views/branch-layout.ts";
import { pathPrefix } from "../store/path-key.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { requireTrust } from "../task/trust.ts";
import { configError, TaskPhaseError } from "../text/errors.ts";
import { errorFinding, type Finding } from "../text/finding.ts";
import { branchName } from "../text/ref-name.ts";
import { openCache } from "./claim-place.ts";
import type { Merging } from "./merge-both.ts";
import type { Mirror } from "./mirror.ts";

/** A person's own repository as the remote of claims: each task on its branch, and never a file of their working tree. */
export interface LocalWork {
  /** The person's tasks root, a real path. */
  readonly tasksRoot: string;
  /** Git in the person's working tree. */
  readonly tree: GitPlace;
  /** Where the branch of a task begins, and where it lands. */
  readonly base: Branch;
  readonly config: LoadedConfig;
  /** The name of the task's folder in the tasks root; it may be on the branch alone. */
  readonly folder: string;
  /** What the task goes on on: the merge of its branch with this commit; null: its branch as it is. */
  readonly merge: Merging | null;
}

export interface LocalPlace {
  readonly tasksRoot: string;
  readonly folder: string;
  readonly configFlag: string | null;
  /** What an earlier call of the same loop began at, since a person may switch branches meanwhile; null: none did. */
  readonly base: Branch | null;
}

/** Throws config errors (TP_WORKSPACE) where no branch of a task can be made, and TP_UNTRUSTED. */
export async function openLocal(
  { tasksRoot, folder, configFlag, base }: LocalPlace,
  ports: Pick<PassPorts, "env" | "home" | "cwd">,
): Promise<LocalWork> {
  requireTrust(tasksRoot, ports);
  const config = loadConfig({ ...ports, configFlag, taskDir: join(tasksRoot, "any") });
  const tree = findGitPlace(tasksRoot);
  openCache(ports.env, ports.home);
  if (tree === null)
    throw unfit("the tasks root is in no git repository", tasksRoot, "git init, and make a first commit");
  const refs = await readRefs(tree, ports.env);
  return {
    tasksRoot,
    folder,
    tree,
    config,
    merge: null,
    base: stillThere(refs, base) ?? chooseBase(refs, config, tree),
  };
}

/** The branch as it is now; a commit that was on no branch stays. */
function stillThere({ objects }: Refs, base: Branch | null): Branch | null {
  if (base === null || !base.ref.startsWith("refs/")) return base;
  const commit = objects.get(base.ref);
  return commit === undefined ? null : { ref: base.ref, commit };
}

/** The branch that a person is on, unless `fleet.base` names one. */
function chooseBase(refs: Refs, { fleet }: LoadedConfig, { top }: GitPlace): Branch {
  const pattern = patternOf({ fleet });
  const named = fleet?.base ?? null;
  // What was fetched is behind what a person has here.
  const local: Refs = { ...localRefs(refs), links: new Map() };
  const base = findBase(local, named, pattern);
  if (base !== null) return base;
  if (named !== null) throw unfit(`\`fleet.base\` names the branch ${named}, which is not here`, top, "correct it");
  if (refs.objects.size === 0 || !refs.objects.has(refs.head))
    throw unfit("the repository has no commit that a branch could begin at", top, "make a first commit");
  const fix = "git switch to the branch that tasks begin at, or name it as fleet.base in task-phase.yaml";
  throw unfit(`the branch of a task is checked out (${branchName(refs.head)})`, top, fix);
}

export function patternOf({ fleet }: Pick<LoadedConfig, "fleet">): string {
  return fleet?.ref ?? usualTaskRef;
}

function unfit(what: string, file: string, fix: string): TaskPhaseError {
  return configError("TP_WORKSPACE", `with workspace: branch ${what}`, { file, fix });
}

export interface LocalMirror extends Mirror {
  readonly refs: Refs;
}

/** The repository as `runClaimed` sees a remote: nothing is fetched, since its objects are borrowed where they are. */
export async function mirrorOf({ tree }: LocalWork, env: NodeJS.ProcessEnv): Promise<LocalMirror> {
  const refs = await readRefs(tree, env);
  const { objects, head } = refs;
  return {
    refs,
    place: bareAt(tree.commonDir),
    head: objects.has(head) ? head : null,
    isEmpty: objects.size === 0,
    commitOf: (ref) => objects.get(ref) ?? null,
  };
}

/** Where the tasks are, as their folders say. */
export function layoutOf({ tasksRoot, tree, base, config }: LocalWork, { refs }: LocalMirror): BranchLayout {
  const pattern = patternOf(config);
  const within = relative(tree.top, tasksRoot).split(sep).join("/");
  return {
    ...{ base, pattern, config, tasksRoot },
    branches: listTaskBranches(localRefs(refs), pattern),
    prefix: pathPrefix(within),
  };
}

/** Throws a locked error: moving a branch that is checked out would change the tree under the person working there. */
export function refuseCheckedOut({ tree }: LocalWork, ref: string): void {
  const finding = findCheckedOut(tree, ref);
  if (finding !== null) throw new TaskPhaseError("locked", [finding]);
}

export function findCheckedOut(tree: GitPlace, ref: string): Finding | null {
  const folder = checkedOutIn(tree, ref);
  if (folder === null) return null;
  const message = `${branchName(ref)} is checked out, so no pass can move it`;
  const fix = "switch to another branch there: git switch -";
  return errorFinding("TP_CHECKED_OUT", message, { file: folder, fix });
}

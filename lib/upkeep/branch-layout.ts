import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { LoadedConfig } from "../config/load-config.ts";
import type { GitObjects } from "../git/objects.ts";
import type { GitPlace } from "../git/place.ts";
import {
  type Branch,
  findBase,
  listTaskBranches,
  type Refs,
  readRefs,
  type TaskBranch,
  usualTaskRef,
} from "../git/task-branches.ts";
import { configError } from "../report/errors.ts";
import { shorten } from "../text/shorten.ts";
import { readBranchConfig, searchPrefix, toPrefix } from "./branch-config.ts";
import type { InspectPorts } from "./inspect-task.ts";

/** Where the tasks of a repository are, for whoever reads or claims them. */
export interface BranchLayout {
  /** The branch that tasks begin at and are merged into; null if there is none. */
  readonly base: Branch | null;
  /** As `fleet.ref`. */
  readonly pattern: string;
  readonly branches: readonly TaskBranch[];
  /** The folder of the task folders in the commits: empty, or with a slash at its end; its bytes as latin1. */
  readonly prefix: string;
  /** That of the base branch. */
  readonly config: LoadedConfig;
  /** An empty folder, which the configuration was read in, of the same name as that in the commits. */
  readonly tasksRoot: string;
}

export interface LayoutRequest {
  readonly place: GitPlace;
  /** What errors call the repository; missing: its folder. */
  readonly shown?: string;
  /** The folder of the task folders in the commits, such as `tasks`; null: found as in a checkout. */
  readonly root: string | null;
  readonly configFlag: string | null;
  /** A folder for files of this reading alone. */
  readonly temporary: string;
}

/**
 * task-phase.yaml of the default branch names the base branch and the branches of tasks; that of the base branch says
 * all else, and it has the task folders. Throws a usage error if there are none, and a config error for a base branch
 * that is not here or a file that is wrong.
 */
export async function readLayout(
  request: LayoutRequest,
  read: GitObjects["read"],
  ports: InspectPorts,
): Promise<BranchLayout> {
  const refs = await readRefs(request.place, ports.env);
  const first = findBase(refs, null, usualTaskRef);
  const named = await readAt(first, refs, { ...request, temporary: join(request.temporary, "default") }, read, ports);
  const pattern = named.config.fleet?.ref ?? usualTaskRef;
  const base = chooseBase(refs, first, named.config, pattern, shownPlace(request));
  const branches = listTaskBranches(refs, pattern);
  const at = base?.commit === first?.commit ? named : await readAt(base, refs, request, read, ports);
  return { base, pattern, branches, ...at };
}

async function readAt(
  base: Branch | null,
  refs: Refs,
  request: LayoutRequest,
  read: GitObjects["read"],
  ports: InspectPorts,
): Promise<Pick<BranchLayout, "prefix" | "config" | "tasksRoot">> {
  const { place, root, configFlag, temporary } = request;
  const branches = base === null ? listTaskBranches(refs, usualTaskRef) : [base];
  const prefix = root === null ? await searchPrefix(place, shownPlace(request), branches, ports.env) : toPrefix(root);
  const tasksRoot = join(temporary, basename(Buffer.from(prefix, "latin1").toString("utf8")) || "tasks");
  mkdirSync(tasksRoot, { recursive: true, mode: 0o700 });
  return {
    prefix,
    tasksRoot,
    config: await readBranchConfig({ place, base, prefix, tasksRoot }, configFlag, read, ports),
  };
}

function chooseBase(
  refs: Refs,
  first: Branch | null,
  { fleet }: LoadedConfig,
  pattern: string,
  shown: string,
): Branch | null {
  const named = fleet?.base ?? null;
  const base = named === null ? first : findBase(refs, named, pattern);
  if (named === null || base !== null) return base;
  throw configError("TP_FLEET_BASE", `\`fleet.base\` names the branch ${shorten(named)}, which is not here`, {
    file: shown,
    fix: "correct it in task-phase.yaml, or push or fetch the branch first",
  });
}

function shownPlace({ place, shown }: LayoutRequest): string {
  return shown ?? place.top;
}

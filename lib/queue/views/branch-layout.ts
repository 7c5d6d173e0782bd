import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { configName } from "../../documents/config/find-config.ts";
import { type LoadedConfig, loadConfig } from "../../documents/config/load-config.ts";
import { isFile } from "../../git/list-tree.ts";
import type { GitObjects } from "../../git/objects.ts";
import type { GitPlace } from "../../git/place.ts";
import { listTreeFiles } from "../../git/revision.ts";
import { type Branch, findBase, listTaskBranches, type Refs, readRefs, usualTaskRef } from "../../git/task-branches.ts";
import { pathPrefix } from "../../store/path-key.ts";
import { configError, dataError, TaskPhaseError, usageError } from "../../text/errors.ts";
import { shorten } from "../../text/shorten.ts";
import { findPrefix } from "./branch-trees.ts";
import type { InspectPorts } from "./inspect-task.ts";

/** Where the tasks of a repository are. */
export type BranchLayout = Awaited<ReturnType<typeof readLayout>>;

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
 * that is not here or a file that is wrong. `pattern` is that of `fleet.ref`; `base` is null if there is none.
 */
export async function readLayout(request: LayoutRequest, read: GitObjects["read"], ports: InspectPorts) {
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
) {
  const { place, root, configFlag, temporary } = request;
  const branches = base === null ? listTaskBranches(refs, usualTaskRef) : [base];
  const prefix = root === null ? await searchPrefix(place, shownPlace(request), branches, ports.env) : toPrefix(root);
  const tasksRoot = join(temporary, basename(Buffer.from(prefix, "latin1").toString("utf8")) || "tasks");
  mkdirSync(tasksRoot, { recursive: true, mode: 0o700 });
  return {
    /** The folder of the task folders in the commits: empty, or with a slash at its end; its bytes as latin1. */
    prefix,
    /** An empty folder, which the configuration was read in, of the same name as that in the commits. */
    tasksRoot,
    /** That of the base branch. */
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

/** A larger one is refused. */
const maxConfigBytes = 64 * 1024;

/**
 * Where the task folders are in the first of these commits that has one, with a slash at its end or empty, as latin1.
 * Throws a usage error, which calls the repository `shown`, if none has.
 */
async function searchPrefix(
  place: GitPlace,
  shown: string,
  branches: readonly Branch[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  for (const { commit } of branches) {
    const prefix = findPrefix(await listTreeFiles(place, commit, "", env));
    if (prefix !== null) return prefix;
  }
  throw usageError("TP_GIT_NO_TASKS", "no branch of this repository has task folders at its top or in `tasks`", {
    file: shown,
    fix: "name their folder with --tasks-root, as it is in the repository, or fetch the branches first",
  });
}

/**
 * The configuration that holds for the tasks of a repository: `--config`, TASK_PHASE_CONFIG, else that of the base
 * branch, which is put into `tasksRoot`. Never one that happens to be above that folder. Throws as `loadConfig` does.
 */
async function readBranchConfig(
  at: { readonly place: GitPlace; readonly base: Branch | null; readonly prefix: string; readonly tasksRoot: string },
  configFlag: string | null,
  read: GitObjects["read"],
  ports: InspectPorts,
): Promise<LoadedConfig> {
  const { base, prefix, tasksRoot } = at;
  const shown = (path: string) => `${base?.ref ?? ""}:${Buffer.from(path, "latin1").toString("utf8")}`;
  const entry = base === null ? null : await findConfigEntry(at.place, base, prefix, ports.env);
  const path = join(tasksRoot, configName);
  if (entry === null) writeFileSync(path, "{}\n", { flag: "wx", mode: 0o600 });
  else if (!isFile(entry))
    throw configError("TP_CONFIG_FILE", "the configuration file in git is a symbolic link or a submodule", {
      file: shown(entry.path),
      fix: "put a regular file there, or remove it",
    });
  else {
    const object = await read(entry.oid, maxConfigBytes);
    if (object.kind === "missing")
      throw dataError("TP_GIT_OBJECT", "task-phase.yaml is not in this repository", {
        file: shown(entry.path),
        fix: "clone without --filter, or fetch again; git fsck says what is missing",
      });
    const bytes = object.kind === "blob" ? object.bytes : Buffer.alloc(maxConfigBytes + 1);
    writeFileSync(path, bytes, { flag: "wx", mode: 0o600 });
  }
  try {
    const { env, home, cwd } = ports;
    return loadConfig({ env, home, cwd, configFlag, taskDir: join(tasksRoot, "any") });
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || entry === null) throw error;
    const place = (file: string | null) => (file === path ? shown(entry.path) : file);
    throw new TaskPhaseError(
      error.exitName,
      error.findings.map((finding) => ({ ...finding, file: place(finding.file) })),
    );
  }
}

/** In the folder of the task folders or the nearest above it. */
async function findConfigEntry(place: GitPlace, { commit }: Branch, prefix: string, env: NodeJS.ProcessEnv) {
  for (let folder = prefix === "" ? "." : prefix.slice(0, -1); ; folder = dirname(folder)) {
    const path = folder === "." ? configName : `${folder}/${configName}`;
    const [found] = await listTreeFiles(place, commit, path, env);
    // A folder of that name holds other paths.
    if (found?.entry !== null && found?.path === path) return { path, ...found.entry };
    if (folder === ".") return null;
  }
}

/** A folder as it is in commits, with a slash at its end or empty for the top, as latin1. Throws a usage error. */
function toPrefix(root: string): string {
  const parts = root.split("/").filter((part) => part !== "" && part !== ".");
  if (root.startsWith("/") || parts.includes(".."))
    throw usageError("TP_GIT_ROOT", `with --git the tasks root is a folder of the repository, found ${shorten(root)}`, {
      fix: "write it relative to the top of the repository, for example --tasks-root tasks",
    });
  return pathPrefix(parts.join("/"));
}

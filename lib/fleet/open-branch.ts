import { basename, join } from "node:path";
import type { FleetConfig } from "../documents/config/fleet-schema.ts";
import { loadConfig } from "../documents/config/load-config.ts";
import type { GitPlace } from "../git/place.ts";
import { showUrl } from "../git/push-target.ts";
import { runGit, splitNul } from "../git/run-git.ts";
import { findSameRefs, renderSameRefs, taskRefOf } from "../git/task-branches.ts";
import { type BranchLayout, readLayout } from "../queue/views/branch-layout.ts";
import { withReader } from "../queue/views/branch-reader.ts";
import { readListed } from "../task/list-tasks.ts";
import { configError, usageError } from "../text/errors.ts";
import { shorten } from "../text/shorten.ts";
import type { ClaimContext } from "./claim-context.ts";
import { makeClone, type WorkClone } from "./clone.ts";
import type { Mirror } from "./mirror.ts";
import { emptyRemote } from "./read-remote.ts";

export interface OpenBranch {
  readonly clone: WorkClone;
  readonly taskDir: string;
  readonly ref: string;
  /** What the branch is in the remote; null: it is not there yet. */
  readonly tip: string | null;
  /** What is checked out: the tip, or where the branch will begin. */
  readonly base: string;
  /** What the branch itself says. */
  readonly fleet: FleetConfig | null;
  readonly layout: BranchLayout;
}

/**
 * Checks out the branch of the task, or else the base branch, where it will begin. Throws a usage error if there is no
 * such task, and a config error for what a claimed pass cannot do.
 */
export async function openBranch(context: ClaimContext, mirror: Mirror): Promise<OpenBranch> {
  const { request, place, ports } = context;
  const { env, home, cwd, signal } = ports;
  const { root } = request;
  if (mirror.isEmpty) throw emptyRemote(request.url);
  const at = { place: mirror.place, shown: showUrl(request.url), root, configFlag: request.pass.config };
  const layout = await withReader(mirror.place, env, (read, temporary) =>
    readLayout({ ...at, temporary }, read, ports),
  );
  request.onNotify?.(layout.config.notify);
  request.onBase?.(layout.config);
  const ref = taskRefOf(request.task, layout.pattern);
  const tip = mirror.commitOf(ref);
  const base = tip ?? layout.base?.commit;
  if (base === undefined)
    throw emptyRemote(request.url, `there is no branch for ${shorten(request.task)} to start from`);
  const wanted = { folder: place.clone, mirror, url: request.url, ref, commit: base, raw: layout.prefix };
  const clone = await makeClone({ ...wanted, env, signal });
  const taskDir = await findTaskFolder(clone.git, layout, request.task, env);
  const { fleet, notify } = loadConfig({ configFlag: request.pass.config, env, home, cwd, taskDir });
  request.onNotify?.(notify);
  refuseCloneKeys(fleet);
  return { clone, taskDir, ref, tip, base, fleet, layout };
}

function refuseCloneKeys(fleet: FleetConfig | null): void {
  if ((fleet?.clone.filter ?? null) !== null) {
    throw configError("TP_CLONE_FILTER", "fleet.clone.filter is not supported by `run --claim`", {
      fix: "remove it: a pass reads the whole repository",
    });
  }
  // It would have to be known before the file that says it is fetched.
  if ((fleet?.clone.cache ?? null) !== null) {
    const message = "fleet.clone.cache is not supported: it is read after the repository is fetched";
    throw configError("TP_CLONE_CACHE", message, { fix: "remove it, and set XDG_CACHE_HOME where the passes run" });
  }
}

/**
 * The folder of a task in a working tree, by its id, or by its name if its brief cannot be read. Throws a usage error if
 * there is none or if several have the id, and a config error if the branch of another task could be taken for its own.
 */
export async function findTaskFolder(
  place: GitPlace,
  { prefix, branches }: Pick<BranchLayout, "prefix" | "branches">,
  task: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const tasks = await listFolders(place, prefix, env);
  const ids = tasks.flatMap(({ id }) => id ?? []);
  const same = findSameRefs([...ids, ...branches.map(({ id }) => id)]).find((group) => group.includes(task));
  if (same !== undefined) throw configError("TP_TASK_REF", renderSameRefs(same), { fix: "give each its own id" });
  const [found, ...others] = tasks.filter(({ folder, id }) => (id ?? basename(folder)) === task);
  if (found === undefined) throw unknown(tasks, task);
  if (others.length === 0) return found.folder;
  const paths = [found, ...others].map(({ folder }) => folder.slice(place.top.length + 1));
  throw usageError("TP_USAGE_TASK_ID", `${paths.length} tasks have the id ${shorten(task)}: ${paths.join(", ")}`, {
    fix: "give each task an id of its own",
  });
}

type TaskFolder = Awaited<ReturnType<typeof listFolders>>[number];

/** The branch's own folders; what a filter or a hook of git made beside them does not count. `id`: null if unreadable. */
async function listFolders(place: GitPlace, prefix: string, env: NodeJS.ProcessEnv) {
  const files = [":(top,glob)**/STATE.md", ":(top,glob)**/artifacts/journal.jsonl"];
  const { stdout } = await runGit(place, ["ls-files", "-z", "--", ...files], { env });
  const names = splitNul(stdout).flatMap((path) => {
    const latin1 = path.toString("latin1");
    const [name = "", ...rest] = latin1.startsWith(prefix) ? latin1.slice(prefix.length).split("/") : [];
    const isTask = ["STATE.md", "artifacts/journal.jsonl"].includes(rest.join("/")) && !name.startsWith(".");
    return isTask ? [Buffer.from(prefix + name, "latin1").toString("utf8")] : [];
  });
  return [...new Set(names)].map((name) => {
    const folder = join(place.top, name);
    return { folder, id: readListed(folder)?.id ?? null };
  });
}

const mostNamed = 10;

function unknown(tasks: readonly TaskFolder[], task: string) {
  const named = tasks.find(({ folder }) => basename(folder) === task)?.id ?? null;
  const known = tasks.flatMap(({ id }) => (id === null ? [] : [shorten(id, 60)])).slice(0, mostNamed);
  const all = known.length === 0 ? "it has no task folders; push them first" : `its tasks are ${known.join(", ")}`;
  return usageError("TP_USAGE_TASK_UNKNOWN", `there is no task ${shorten(task)} in the remote's branch`, {
    fix: named === null ? all : `the task in the folder ${shorten(task)} has the id ${shorten(named, 60)}`,
  });
}

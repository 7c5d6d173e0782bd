import { basename, join } from "node:path";
import type { GitPlace } from "../git/place.ts";
import { runGit, splitNul } from "../git/run-git.ts";
import { describeSameRefs, findSameRefs } from "../git/task-branches.ts";
import { configError, usageError } from "../report/errors.ts";
import { readListed } from "../task/dependencies.ts";
import { shorten } from "../text/shorten.ts";
import type { BranchLayout } from "../upkeep/branch-layout.ts";

interface TaskFolder {
  readonly folder: string;
  /** Null if its brief cannot be read. */
  readonly id: string | null;
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
  if (same !== undefined) throw configError("TP_TASK_REF", describeSameRefs(same), { fix: "give each its own id" });
  const [found, ...others] = tasks.filter(({ folder, id }) => (id ?? basename(folder)) === task);
  if (found === undefined) throw unknown(tasks, task);
  if (others.length === 0) return found.folder;
  const paths = [found, ...others].map(({ folder }) => folder.slice(place.top.length + 1));
  throw usageError("TP_USAGE_TASK_ID", `${paths.length} tasks have the id ${shorten(task)}: ${paths.join(", ")}`, {
    fix: "give each task an id of its own",
  });
}

/** Those of the branch; what a filter or a hook of git made beside them is none. */
async function listFolders(place: GitPlace, prefix: string, env: NodeJS.ProcessEnv): Promise<TaskFolder[]> {
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

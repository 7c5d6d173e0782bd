import { basename, dirname, join } from "node:path";
import type { GitPlace } from "../git/place.ts";
import { runGit, splitNul } from "../git/run-git.ts";
import { usageError } from "../report/errors.ts";
import { readListed } from "../task/dependencies.ts";
import { shorten } from "../text/shorten.ts";

/**
 * The folder of a task in a working tree, by its id or the folder's name. Throws a usage error if there is none, or if
 * several have the id.
 */
export async function findTaskFolder(place: GitPlace, task: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await runGit(place, ["ls-files", "-z", "--", ":(glob)**/STATE.md"], { cwd: place.top, env });
  const folders = splitNul(stdout)
    .map((path) => dirname(path.toString("utf8")))
    .filter((folder) => folder !== "." && !folder.split("/").some((part) => part.startsWith(".")))
    .map((folder) => join(place.top, folder));
  const tasks = folders.flatMap((folder) => readListed(folder) ?? []);
  const byId = tasks.filter(({ id }) => id === task).map(({ folder }) => folder);
  const named = byId.length > 0 ? byId : folders.filter((folder) => basename(folder) === task);
  const [found, ...others] = named;
  if (found !== undefined && others.length === 0) return found;
  const known = tasks.slice(0, mostNamed).map(({ id }) => shorten(id, 60));
  if (found === undefined) {
    throw usageError("TP_USAGE_TASK_UNKNOWN", `there is no task ${shorten(task)} in the remote's branch`, {
      fix: known.length === 0 ? "it has no task folders; push them first" : `its tasks are ${known.join(", ")}`,
    });
  }
  const paths = named.map((folder) => folder.slice(place.top.length + 1));
  throw usageError("TP_USAGE_TASK_ID", `${named.length} tasks have the id ${shorten(task)}: ${paths.join(", ")}`, {
    fix: "give each task an id of its own",
  });
}

const mostNamed = 10;

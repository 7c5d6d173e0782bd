import { isAbsolute, join, relative } from "node:path";
import { configError, type TaskPhaseError } from "../report/errors.ts";
import { shorten } from "../text/shorten.ts";

/** Where both working trees of a task go whose code is in a repository of its own. */
export interface TwoTrees {
  /** Of the tasks. */
  readonly tasks: string;
  /** Of the code: what `repo` of the brief leads to from the task's folder, once the tasks are there. */
  readonly code: string;
}

export interface RepoWords {
  /** The top of the clone of the tasks, and the folder of the task in it. */
  readonly top: string;
  readonly taskDir: string;
  /** Of the brief; null: it has no `repo`. */
  readonly repo: string | null;
  /** `fleet.code`. */
  readonly code: string | null;
  readonly readme: string;
}

/** As far up as `repo` may lead: each level is a folder that is made. */
const mostAbove = 8;

/**
 * Where the code of a claimed pass is: null if it is in the clone of the tasks, else both trees in `pair`, a folder of
 * this task alone, so that `repo` of the brief leads from the one to the other as it does for people. By its words
 * alone: nothing on disk counts. Throws a config error (TP_CODE_PLACE) for a `repo` that does not go with `fleet.code`.
 */
export function placeTrees(pair: string, { top, taskDir, repo, code, readme }: RepoWords): TwoTrees | null {
  const refuse = (message: string, fix: string): TaskPhaseError =>
    configError("TP_CODE_PLACE", message, { file: readme, fix });
  const shown = shorten(repo ?? "", 100);
  if (repo !== null && isAbsolute(repo)) {
    throw refuse(`repo: ${shown} is an absolute path, but a claimed pass works in clones`, writeRelative);
  }
  // From the top on, so that no root of a disk stops a way up.
  const way = repo === null ? [] : join(relative(top, taskDir), repo, ".").split("/");
  if (way[0] !== "..") {
    if (code === null) return null;
    throw refuse(
      "fleet.code names a repository for the code, but `repo` in the brief does not lead to it",
      writeRelative,
    );
  }
  if (code === null) {
    const message = `repo: ${shown} leads out of the repository of the tasks, but nothing says where to clone the code from`;
    throw refuse(message, "add its URL to task-phase.yaml: fleet: { code: URL }");
  }
  const above = way.findIndex((name) => name !== "..");
  if (above < 0 || above > mostAbove) {
    throw refuse(`repo: ${shown} names no folder beside the repository of the tasks`, writeRelative);
  }
  const tasks = join(pair, ...Array.from({ length: above - 1 }, () => "above.clone"), "tasks.clone");
  const folder = join(pair, ...way.slice(above));
  if (isIn(folder, tasks) || isIn(tasks, folder)) {
    throw refuse(
      `repo: ${shown} has the same name as the clone of the tasks`,
      "give the folder of the code another name",
    );
  }
  return { tasks, code: folder };
}

const writeRelative =
  "write a path relative to the task folder that leads beside the repository of the tasks, such as repo: ../../../app";

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

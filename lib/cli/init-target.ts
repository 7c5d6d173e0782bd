import { readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { findGitTop } from "../git/list-paths.ts";
import { type BriefSource, isOfIssue, textKey } from "../scaffold/init/given-brief.ts";
import { idFromFolder, looksLikeTask, nextId, slugFromTitle, takenId } from "../scaffold/init/names.ts";
import { leadsToFolder, statEntry } from "../store/folder.ts";
import type { FileLock } from "../store/lock.ts";
import { type ListedTask, listTasks } from "../task/list-tasks.ts";
import { lockRepo } from "../task/locks.ts";
import { lockedError, TaskPhaseError, usageError } from "../text/errors.ts";
import type { CommandContext } from "./command.ts";
import { newTasksRoot } from "./find-root.ts";

export interface InitTarget {
  readonly taskDir: string;
  readonly tasksRoot: string;
  readonly id: string;
  /** Null: the brief or the folder's name says it. */
  readonly title: string | null;
  /** The working tree around the present folder, if the task folder would find another one or none; else null. */
  readonly repo: string | null;
  /** Locked while an id is chosen and taken; null if the folder was named. */
  readonly lock: FileLock | null;
}

/**
 * The folder that was named, or one for a title: the next free id in the nearest tasks root, else in a new `tasks` at
 * the top of the repo, else in one here.
 */
export async function chooseInitTarget(context: CommandContext, source: BriefSource | null): Promise<InitTarget> {
  const { flags, cwd } = context;
  const word = flags.text("title");
  const named = flags.text("task-dir") ?? (word !== null && looksLikeTask(word) ? word : null);
  const given = source?.given ?? null;
  const title = named === word ? null : word;
  if (named !== null) {
    const taskDir = namedFolder(context, named);
    const id = flags.text("id") ?? textKey(given, "id") ?? idFromFolder(path.basename(taskDir));
    return { taskDir, tasksRoot: path.dirname(taskDir), id, title, repo: null, lock: null };
  }
  const heading = title ?? textKey(given, "title") ?? given?.heading ?? null;
  if (heading === null || heading.trim() === "") {
    throw usageError("TP_USAGE_NO_TITLE", "the title is missing", {
      fix: "say what the task is about: task-phase init 'Round half up'",
    });
  }
  const tasksRoot = newTasksRoot(cwd);
  const ofIssue = flags.text("id") ?? source?.issue?.id;
  const made = source?.issue && tasksIn(tasksRoot).find((task) => task.id === ofIssue);
  if (made && !isOfIssue(made.folder, source?.issue?.url ?? "")) throw takenId(made.id, made.folder);
  const lock = await lockRoot(context, tasksRoot);
  const id = ofIssue ?? textKey(given, "id") ?? nextId(idsIn(tasksRoot));
  const slug = slugFromTitle(heading);
  const taskDir = made?.folder ?? path.join(tasksRoot, slug === "" ? id : `${id}-${slug}`);
  return { taskDir, tasksRoot, id, title: heading, repo: ownRepo(context, tasksRoot), lock };
}

/** A path as it is; a bare key is a folder of the tasks root, that of the task with this id if there is one. */
function namedFolder({ flags, cwd }: CommandContext, named: string): string {
  if (flags.text("task-dir") !== null || named.includes("/")) return path.resolve(cwd, named);
  const root = newTasksRoot(cwd);
  return tasksIn(root).find(({ id }) => id === named)?.folder ?? path.join(root, named);
}

/** Every id that a folder's name or a brief takes. */
function idsIn(tasksRoot: string): string[] {
  if (!leadsToFolder(tasksRoot)) return [];
  const folders = readdirSync(tasksRoot).filter(
    (name) => statEntry(path.join(tasksRoot, name))?.isDirectory() === true,
  );
  return [...folders.map(idFromFolder), ...listTasks(tasksRoot).map(({ id }) => id)];
}

/** The tasks of a root; none if it is not there yet. */
export function tasksIn(tasksRoot: string): ListedTask[] {
  return leadsToFolder(tasksRoot) ? listTasks(tasksRoot) : [];
}

/** A tasks root may lie beside its repos: the one that the person is in is meant then. */
export function ownRepo({ flags, cwd }: CommandContext, tasksRoot: string): string | null {
  const here = flags.on("repo") ? null : findGitTop(cwd);
  if (here === null) return null;
  const around = findGitTop(leadsToFolder(tasksRoot) ? tasksRoot : path.dirname(tasksRoot));
  return around !== null && realpathSync(around) === realpathSync(here) ? null : here;
}

const attempts = 50;
const pauseMs = 40;

/** Two calls at once take two ids. In the state folder: nothing is written beside the tasks before all is judged. */
async function lockRoot(context: CommandContext, tasksRoot: string): Promise<FileLock> {
  const root = leadsToFolder(tasksRoot) ? realpathSync(tasksRoot) : tasksRoot;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return lockRepo(path.join(root, "next id"), context);
    } catch (error) {
      if (!(error instanceof TaskPhaseError) || error.exitName !== "locked") throw error;
      if (attempt === attempts) {
        const place = { file: root, fix: "wait for it to end, then try again" };
        throw lockedError("TP_LOCKED", "another init is making a task here", place);
      }
    }
    await context.sleep(pauseMs, new AbortController().signal);
  }
}

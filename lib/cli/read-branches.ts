import path from "node:path";
import { findRepository, type GitPlace } from "../git/place.ts";
import { shortRef } from "../queue/views/branch-words.ts";
import { type BranchTask, type InspectedBranches, inspectBranches } from "../queue/views/inspect-branches.ts";
import { isHeld } from "../rules/claim.ts";
import { usageError } from "../text/errors.ts";
import { nearestWord } from "../text/nearest.ts";
import { nameSome, shorten } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import type { ShownTask } from "./status-json.ts";

export async function readBranches(repository: GitPlace, context: CommandContext): Promise<InspectedBranches> {
  const { flags } = context;
  const request = { place: repository, root: flags.text("tasks-root"), configFlag: flags.text("config") };
  const read = await inspectBranches(request, context);
  if (read.tasks.some(({ readAt }) => readAt !== null) || request.root === null) return read;
  throw usageError("TP_GIT_NO_TASKS", `no branch of this repository has a task folder in ${shorten(request.root)}`, {
    file: repository.top,
    fix: "correct --tasks-root: write the folder's path within the repository",
  });
}

/** The repository that `--git` names; null if the flag was not given. */
export function chooseRepository({ flags, cwd }: Pick<CommandContext, "flags" | "cwd">): GitPlace | null {
  const given = flags.text("git");
  if (given === null) return null;
  const folder = path.resolve(cwd, given);
  const place = findRepository(folder);
  if (place !== null) return place;
  throw usageError("TP_GIT_REPO", "--git does not name a git repository", {
    file: folder,
    fix: "name a bare repository, or the folder of a clone that holds .git",
  });
}

/** The one that was named, by its id or its folder. */
export function findBranchTask(tasks: readonly BranchTask[], given: string): BranchTask {
  const [task, ...others] = tasks.filter(({ id }) => id === given);
  if (others.length > 0)
    throw usageError("TP_USAGE_TASK_ID", `${others.length + 1} tasks have the id ${shorten(given)}`, {
      fix: "name one by its folder",
    });
  const found = task ?? tasks.find(({ place }) => place.name === given);
  if (found !== undefined) return found;
  const names = tasks.map(({ id, place }) => id ?? place.name);
  const near = nearestWord(given, names);
  const some = nameSome(names, 10, 60);
  throw usageError("TP_USAGE_TASK_UNKNOWN", `no branch of the repository has a task ${shorten(given)}`, {
    fix: near === null ? `its tasks are ${some === "" ? "none" : some}` : `did you mean ${shorten(near)}?`,
  });
}

/** The task as `status` shows it. This machine's models, programs and repos do not apply to it. */
export function toShown(task: BranchTask, now: Date): ShownTask {
  const { readAt, claim } = task;
  const branch = readAt === null ? null : { ref: readAt.ref, commit: readAt.commit, merged: readAt.merged };
  return {
    ...task,
    hasPage: false,
    evidenceUrl: null,
    editUrl: null,
    ...(readAt === null ? {} : { readFrom: `${shortRef(readAt.ref)}:${readAt.path}` }),
    inGit: {
      folder: readAt?.path ?? task.place.name,
      branch,
      claim: claim === null ? null : { ...claim, holds: isHeld(claim, now) },
    },
  };
}

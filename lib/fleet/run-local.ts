import { join } from "node:path";
import type { PassPorts } from "../anchor/ports.ts";
import { placeIn } from "../anchor/task-place.ts";
import { loadConfig } from "../config/load-config.ts";
import type { PassRunner } from "../machine/events.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import { makeFolder } from "../store/folder.ts";
import { type FileLock, tryLock } from "../store/lock.ts";
import { createFile } from "../store/put-file.ts";
import { readListed } from "../task/dependencies.ts";
import type { PassReport, PassRequest } from "../task/request.ts";
import { taskLockPath } from "../task/task-lock.ts";
import { readTaskFile, taskFiles } from "../task-folder/task-files.ts";
import { openLocal } from "./local-work.ts";
import { cacheHome, workspaceOf } from "./places.ts";
import { runClaimed } from "./run-claimed.ts";

export interface LocalRequest {
  /** The person's, a real path. */
  readonly tasksRoot: string;
  /** The name of the task's folder. */
  readonly folder: string;
  /** The id of a task that is on its branch alone; null: as its brief says. */
  readonly task: string | null;
  readonly runner: PassRunner;
  readonly onClaimed?: () => void;
  readonly pass: Omit<PassRequest, "taskDir">;
}

/**
 * One pass of a task of the person's own tasks root, in a clone of its own on the branch of the task. Their working tree,
 * index and HEAD are neither read as work nor written. Throws as `runClaimed`, TP_WORKSPACE, and TP_LOCKED.
 */
export async function runLocal(request: LocalRequest, ports: PassPorts): Promise<PassReport> {
  const { tasksRoot, folder, runner, pass } = request;
  const local = await openLocal({ tasksRoot, folder, configFlag: pass.config }, ports);
  const lock = lockHere(tasksRoot, folder);
  try {
    const task = request.task ?? idOf(request, ports);
    const asked = { url: local.tree.commonDir, task, root: null, runner, takeover: false, local };
    const own = { ...pass, config: local.config.path };
    const { onClaimed } = request;
    return await runClaimed({ ...asked, ...(onClaimed && { onClaimed }), pass: own }, { ...ports, runtimeRoot: runtimeRootOf(tasksRoot, ports) });
  } finally {
    lock.release();
  }
}

/** Where cooldowns, turns and reports of these passes are kept, instead of in the working tree. */
export function runtimeRootOf(tasksRoot: string, { env, home }: Pick<PassPorts, "env" | "home">): string {
  return workspaceOf(cacheHome(env, home), tasksRoot);
}

/** Where every user of the tasks root sees it. */
function lockHere(tasksRoot: string, folder: string): FileLock {
  const place = placeIn(tasksRoot, folder);
  makeFolder(join(place.runtime, "locks"));
  createFile(join(place.runtime, "locks", ".gitignore"), "*\n");
  const path = taskLockPath(place);
  const lock = tryLock(path);
  if (lock !== null) return lock;
  throw new TaskPhaseError("locked", [
    errorFinding("TP_LOCKED", `another runner holds the task ${folder}`, {
      file: path,
      fix: "wait for it to end, then try again",
    }),
  ]);
}

/** Throws what is wrong with the brief. */
function idOf({ tasksRoot, folder, pass }: LocalRequest, { env, home, cwd }: PassPorts): string {
  const taskDir = join(tasksRoot, folder);
  const listed = readListed(taskDir);
  if (listed !== null) return listed.id;
  const { defaults } = loadConfig({ configFlag: pass.config, env, home, cwd, taskDir });
  return readTaskFile(taskFiles.brief, taskDir, defaults).contract.id;
}

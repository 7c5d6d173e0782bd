import { join } from "node:path";
import { unreadableFile } from "../documents/read-task-file.ts";
import { makeFolder } from "../store/folder.ts";
import { type FileLock, isLocked, tryLock } from "../store/lock.ts";
import { createFile } from "../store/put-file.ts";
import { openPrivateFolder, stateHome, sweepState } from "../store/state-home.ts";
import { lockedError, type TaskPhaseError } from "../text/errors.ts";
import { sha256 } from "../text/sha256.ts";
import { anchorFolder, sweepTrees } from "./records/anchor.ts";
import { sweepOrigins } from "./records/origin-place.ts";
import type { PassPorts } from "./records/ports.ts";
import { recordRunner } from "./records/records.ts";
import { stands, type TaskPlace } from "./records/task-place.ts";
import { taskLockPath } from "./task-lock.ts";

/** The locks of one run. All go with the process, however it ends. */
export interface HeldLocks {
  /** Takes the repo's lock too; taking the same repo again changes nothing. */
  takeRepo(repo: string): void;
  release(): void;
}

/**
 * Locks the task, twice: in the tasks root, where every user of it sees the lock, and in the state folder, where a
 * pass cannot take the file away.
 */
export function lockTask(place: TaskPlace, ports: Pick<PassPorts, "env" | "home">): HeldLocks {
  // A folder that was never a task gets no lock files beside it.
  const known = [place.state, place.journal, anchorFolder(place.taskDir, ports)].some(stands);
  if (!known) throw unreadableFile(place.state, { kind: "missing" });
  const held = new Map<string, FileLock>();
  let noted: { forget(): void } | null = null;
  const release = () => {
    try {
      noted?.forget();
    } finally {
      noted = null;
      for (const lock of held.values()) lock.release();
      held.clear();
    }
  };
  const take = (path: string, what: string) => {
    if (held.has(path)) return;
    const lock = tryLock(path);
    if (lock === null) {
      release();
      throw heldError(what, path);
    }
    held.set(path, lock);
  };
  try {
    makeLocks(place);
    take(taskLockPath(place), `the task ${place.name}`);
    const own = anchorFolder(place.taskDir, ports);
    openPrivateFolder(own);
    take(join(own, "task.lock"), `the task ${place.name}`);
    const home = stateHome(ports.env, ports.home);
    sweepState(home, () => {
      sweepOrigins(home);
      sweepTrees(home);
    });
    noted = recordRunner(own);
  } catch (error) {
    release();
    throw error;
  }
  return {
    takeRepo(repo) {
      openPrivateFolder(join(stateHome(ports.env, ports.home), "repos"));
      take(repoLockPath(repo, ports), `the repo ${repo}`);
    },
    release,
  };
}

function makeLocks({ runtime }: TaskPlace): void {
  makeFolder(join(runtime, "locks"));
  // Locks mean nothing in another checkout.
  createFile(join(runtime, "locks", ".gitignore"), "*\n");
}

/**
 * The task's lock in the tasks root alone, where every user of it sees it, for work that is done elsewhere, and for a task
 * that may have no folder here. Throws a locked error.
 */
export function lockInRoot(place: TaskPlace): FileLock {
  makeLocks(place);
  const path = taskLockPath(place);
  const lock = tryLock(path);
  if (lock === null) throw heldError(`the task ${place.name}`, path);
  return lock;
}

/** The repo's lock alone, for what works on a repo and on no task; throws a locked error. */
export function lockRepo(repo: string, ports: Pick<PassPorts, "env" | "home">): FileLock {
  openPrivateFolder(join(stateHome(ports.env, ports.home), "repos"));
  const path = repoLockPath(repo, ports);
  const lock = tryLock(path);
  if (lock === null) throw heldError(`the repo ${repo}`, path);
  return lock;
}

/** For a run that writes nothing: throws if another runner holds the task. */
export function refuseLockedTask(place: TaskPlace): void {
  if (isLocked(taskLockPath(place))) throw heldError(`the task ${place.name}`, taskLockPath(place));
}

/** For a run that writes nothing: throws if another runner holds the repo. */
export function refuseLockedRepo(repo: string, ports: Pick<PassPorts, "env" | "home">): void {
  if (isLocked(repoLockPath(repo, ports))) throw heldError(`the repo ${repo}`, repo);
}

function repoLockPath(repo: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(ports.env, ports.home), "repos", `${sha256(repo).slice(0, 32)}.lock`);
}

function heldError(what: string, path: string): TaskPhaseError {
  return lockedError("TP_LOCKED", `another runner holds ${what}`, {
    file: path,
    fix: "wait for it to end, then try again",
  });
}

import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { join } from "node:path";
import { diskError, type TaskPhaseError } from "../report/errors.ts";
import { storeError } from "../store/error-code.ts";
import { lookAt, removeAll, syncFolder } from "../store/folder.ts";
import { createFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";
import { type StagedEntry, stageEntries } from "./stage-paths.ts";
import { copyIndex } from "./tree.ts";

/** How long another git may hold the index, in milliseconds, and what passes the time. */
export interface Patience {
  readonly ms: number;
  readonly pause: (ms: number) => Promise<void>;
}

/** The index of a repository, which no other git can write as long as it is held. */
export interface HeldIndex {
  /** Makes the index that comes: it has these entries, and otherwise what a person staged. Throws TP_GIT. */
  renew(entries: readonly StagedEntry[], gone: readonly Buffer[]): Promise<void>;
  /** Puts that in place, and lets go. Throws TP_DISK: then the index is held until `finishIndex`. */
  put(): void;
  /** Lets go, and leaves the index as it was. */
  release(): void;
}

export interface LockRequest {
  /** The commit that the branch is about to get. */
  readonly commit: string;
  /**
   * Where it is noted until the index is in place; null: in a clone, which only the runner uses, so that a lock that a
   * killed run left there is taken over.
   */
  readonly record: string | null;
  readonly patience: Patience;
  readonly env: NodeJS.ProcessEnv;
}

const pauseMs = 50;
const mostBytes = 64 * 1024;

/** Waits for the lock of the index, and takes it; null if another git holds it to the end. */
export async function lockIndex(
  place: GitPlace,
  { commit, record, patience, env }: LockRequest,
): Promise<HeldIndex | null> {
  const path = lockPath(place);
  const ours = record === null ? tokenBegin : tokenOf(commit);
  for (let waited = 0; !isOurs(place, ours) && !createFile(path, tokenOf(commit)); waited += pauseMs) {
    if (waited >= patience.ms) return null;
    await patience.pause(pauseMs);
  }
  const [index, renewed] = [join(place.gitDir, "index"), renewedPath(place, commit)];
  const options = { cwd: place.top, env, variables: { GIT_INDEX_FILE: renewed }, durable: true };
  const release = (): void => {
    for (const file of [renewed, `${renewed}.lock`, path]) removeAll(file);
    // Last: without the record nobody would know whose the lock is.
    if (record !== null) removeAll(record);
  };
  return {
    async renew(entries, gone) {
      removeAll(renewed);
      copyIndex(index, renewed);
      await stageEntries(place, entries, gone, options);
      // What the files were when they were stored is not known to git yet: it looks at them once.
      await runGit(place, ["update-index", "-q", "--refresh"], { ...options, accept: [0, 1] });
    },
    put() {
      try {
        // Of the commands above, those that had nothing to change wrote nothing.
        if (lookAt(renewed) !== null) {
          syncFile(renewed);
          renameSync(renewed, index);
          syncFolder(place.gitDir);
        }
      } catch (error) {
        throw storeError("write", index, error);
      }
      release();
    },
    release,
  };
}

/** Before git 2.36 git does not do it. */
function syncFile(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function lockPath({ gitDir }: GitPlace): string {
  return join(gitDir, "index.lock");
}

/** What another git would have there begins with `DIRC`, or is empty. */
const tokenBegin = "task-phase ";

export function tokenOf(commit: string): string {
  return `${tokenBegin}${commit}\n`;
}

/** True if the lock begins with this token. */
export function isOurs(place: GitPlace, token: string): boolean {
  const read = readRegularFile(lockPath(place), mostBytes);
  return read.kind === "file" && read.bytes.toString("utf8").startsWith(token);
}

export function renewedPath({ gitDir }: GitPlace, commit: string): string {
  return join(gitDir, `index.task-phase-${commit.slice(0, 12)}`);
}

export function heldElsewhere(place: GitPlace, what: string): TaskPhaseError {
  const message = `${what}: another git holds the index of ${place.top}`;
  const fix = `if no git is running there, remove ${lockPath(place)}; the next pass does it then`;
  return diskError("TP_GIT", message, { file: lockPath(place), fix });
}

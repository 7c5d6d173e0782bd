import { renameSync } from "node:fs";
import { join } from "node:path";
import { syncFile } from "../store/append-file.ts";
import { storing } from "../store/error-code.ts";
import { removeAll, statEntry, syncFolder } from "../store/folder.ts";
import { createFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { diskError, type TaskPhaseError } from "../text/errors.ts";
import type { GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";
import { copyIndex, type StagedEntry, stageEntries } from "./stage-paths.ts";

export interface Patience {
  readonly ms: number;
  readonly pause: (ms: number) => Promise<void>;
}

export interface HeldIndex {
  /** Prepares the new index: what a person staged, with these entries. Throws TP_GIT. */
  renew(entries: readonly StagedEntry[], gone: readonly Buffer[]): Promise<void>;
  /** Puts the new index in place and releases. On TP_DISK the lock stays until `finishIndex`. */
  put(): void;
  release(): void;
}

export interface LockRequest {
  readonly commit: string;
  /** Records the commit until the index is in place. Null in the runner's own clone: its lock is taken over. */
  readonly record: string | null;
  readonly patience: Patience;
  readonly env: NodeJS.ProcessEnv;
}

const pauseMs = 50;
const mostBytes = 64 * 1024;

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
  const options = { env, variables: { GIT_INDEX_FILE: renewed }, durable: true };
  const release = (): void => {
    for (const file of [renewed, `${renewed}.lock`, path]) removeAll(file);
    // Last: the record identifies the lock.
    if (record !== null) removeAll(record);
  };
  return {
    async renew(entries, gone) {
      removeAll(renewed);
      copyIndex(index, renewed);
      await stageEntries(place, entries, gone, options);
      // Git has not yet seen the files as they were stored: let it look once.
      await runGit(place, ["update-index", "-q", "--refresh"], { ...options, accept: [0, 1] });
    },
    put() {
      storing("write", index, () => {
        // A command with nothing to change wrote no file.
        if (statEntry(renewed) !== null) {
          // Git before 2.36 does not sync.
          syncFile(renewed);
          renameSync(renewed, index);
          syncFolder(place.gitDir);
        }
      });
      release();
    },
    release,
  };
}

function lockPath({ gitDir }: GitPlace): string {
  return join(gitDir, "index.lock");
}

/** Another git's lock begins with `DIRC` or is empty. */
const tokenBegin = "task-phase ";

export function tokenOf(commit: string): string {
  return `${tokenBegin}${commit}\n`;
}

export function isOurs(place: GitPlace, token: string): boolean {
  const read = readRegularFile(lockPath(place), mostBytes);
  return read.kind === "file" && read.bytes.toString("utf8").startsWith(token);
}

export function renewedPath({ gitDir }: GitPlace, commit: string): string {
  return join(gitDir, `index.task-phase-${commit.slice(0, 12)}`);
}

export function heldElsewhere(place: GitPlace, what: string): TaskPhaseError {
  const message = `${what}: another git holds the index of ${place.top}`;
  const fix = `if no git is running there, remove ${lockPath(place)}; the next run of the task does it then`;
  return diskError("TP_GIT", message, { file: lockPath(place), fix });
}

import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { diskError, type TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { storeError } from "../store/error-code.ts";
import { lookAt, removeAll, syncFolder } from "../store/folder.ts";
import { createFile, putFile, removeDebris } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { readJsonFile } from "../store/read-json.ts";
import type { GitOptions } from "./answer.ts";
import { findRepository, type GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
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

interface HoldRequest {
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

const recordShape = v.object({ version: v.literal(1), top: v.string(), commit: v.pipe(v.string(), v.hexadecimal()) });
type IndexRecord = v.InferOutput<typeof recordShape>;

const pauseMs = 50;
const mostBytes = 64 * 1024;

/**
 * Holds the index as git itself does, by `index.lock`, before the branch moves: with an index that stays behind, the
 * next commit of a person would take the committed work out again. The lock names the record, so that a later run
 * knows it for the one that a killed run left. Throws TP_GIT if another git holds it to the end.
 */
export async function holdIndex(place: GitPlace, request: HoldRequest): Promise<HeldIndex> {
  if (request.record !== null) {
    await finishIndex(request.record, request);
    if (lookAt(request.record) !== null) throw heldElsewhere(place, "not committed");
    const record: IndexRecord = { version: 1, top: place.top, commit: request.commit };
    putFile(request.record, JSON.stringify(record), { mode: 0o600 });
  }
  const held = await lock(place, request);
  if (held !== null) return held;
  if (request.record !== null) removeAll(request.record);
  throw heldElsewhere(place, "not committed");
}

async function lock(place: GitPlace, { commit, record, patience, env }: HoldRequest): Promise<HeldIndex | null> {
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

function tokenOf(commit: string): string {
  return `${tokenBegin}${commit}\n`;
}

/** `token`: what the lock must begin with. */
function isOurs(place: GitPlace, token: string): boolean {
  const read = readRegularFile(lockPath(place), mostBytes);
  return read.kind === "file" && read.bytes.toString("utf8").startsWith(token);
}

function renewedPath({ gitDir }: GitPlace, commit: string): string {
  return join(gitDir, `index.task-phase-${commit.slice(0, 12)}`);
}

function heldElsewhere(place: GitPlace, what: string): TaskPhaseError {
  const message = `${what}: another git holds the index of ${place.top}`;
  const fix = `if no git is running there, remove ${lockPath(place)}; the next pass does it then`;
  return diskError("TP_GIT", message, { file: lockPath(place), fix });
}

/**
 * Puts the index in place that a run was kept from putting there after it had moved the branch, if the record says so.
 * What a person staged since stays. To be called by the holder of the repo's lock. Does not throw for what git says.
 */
export async function finishIndex(
  record: string,
  options: { readonly patience: Patience; readonly env: NodeJS.ProcessEnv },
): Promise<Finding[]> {
  const read = readJsonFile(record, recordShape, mostBytes);
  if (read.kind === "missing") return [];
  const place = read.kind === "read" ? findRepository(read.value.top) : null;
  if (read.kind === "wrong" || place === null) {
    removeAll(record);
    return [];
  }
  const { commit } = read.value;
  try {
    const find = () => listBehind(place, commit, options.env);
    removeDebris(place.gitDir);
    for (const end of ["", ".lock"]) removeAll(`${renewedPath(place, commit)}${end}`);
    if (!isOurs(place, tokenOf(commit)) && (await find()).length === 0) {
      removeAll(record);
      return [];
    }
    const held = await lock(place, { ...options, commit, record });
    if (held === null) throw heldElsewhere(place, "git's index is behind the commit of a pass");
    const behind = await find();
    if (behind.length === 0) {
      held.release();
      return [];
    }
    const gone = behind.filter(({ mode }) => mode === goneMode).map(({ path }) => path);
    const there = behind.filter(({ mode }) => mode !== goneMode);
    await held.renew(there, gone);
    held.put();
    const message = `git's index was behind the commit ${commit.slice(0, 12)} of a pass that was cut off; it is renewed`;
    return [warningFinding("TP_GIT_INDEX", message, { file: place.top })];
  } catch (error) {
    const fix = "make sure that git status works there; the next pass tries again";
    return [warningFinding("TP_GIT_INDEX", (error as Error).message, { file: place.top, fix })];
  }
}

/** The branch moved before the run was cut off, and still has the commit. */
async function hasCommit(place: GitPlace, commit: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", commit, "HEAD"];
  return (await runGit(place, args, { cwd: place.top, env, accept: [0, 1, 128] })).exitCode === 0;
}

const goneMode = "000000";

/** What the commit changed, of what the index still has as it was before; nothing if the branch never got the commit. */
async function listBehind(place: GitPlace, commit: string, env: NodeJS.ProcessEnv): Promise<StagedEntry[]> {
  if (!(await hasCommit(place, commit, env))) return [];
  const call: GitOptions = { cwd: place.top, env };
  const changes = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames", commit];
  const parts = splitNul((await runGit(place, changes, call)).stdout);
  const listed = splitNul((await runGit(place, ["ls-files", "-z", "--stage"], call)).stdout);
  const staged = new Map(
    listed.map((line) => {
      const tab = line.indexOf(0x09);
      return [line.toString("latin1", tab + 1), line.toString("latin1", 0, tab)];
    }),
  );
  const behind: StagedEntry[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const path = parts[at + 1] ?? Buffer.alloc(0);
    const [oldMode = "", mode = "", oldId = "", oid = ""] = (parts[at] ?? "").toString("latin1").slice(1).split(" ");
    const was = oldMode === goneMode ? undefined : `${oldMode} ${oldId} 0`;
    if (staged.get(path.toString("latin1")) === was) behind.push({ path, mode, oid });
  }
  return behind;
}

import * as v from "valibot";
import { removeAll, statEntry } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readJsonFile } from "../store/read-file.ts";
import { removeDebris } from "../store/temporary-file.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { seeStatus } from "./git-answer.ts";
import {
  type HeldIndex,
  heldElsewhere,
  isOurs,
  type LockRequest,
  lockIndex,
  type Patience,
  renewedPath,
  tokenOf,
} from "./index-lock.ts";
import { findRepository, type GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { listStaged, type StagedEntry } from "./stage-paths.ts";

const recordShape = v.object({ version: v.literal(1), top: v.string(), commit: v.pipe(v.string(), v.hexadecimal()) });
const mostBytes = 64 * 1024;

/**
 * Takes `index.lock` before the branch moves: with a stale index, a person's next commit would take the committed work
 * out again. The lock names the record, so that a later run recognises one left by a killed run. Throws TP_GIT if
 * another git keeps the lock. `scratch`: a folder of the caller's own, on the file system of the record.
 */
export async function holdIndex(place: GitPlace, request: LockRequest, scratch: string): Promise<HeldIndex> {
  if (request.record !== null) {
    await finishIndex(request.record, request);
    if (statEntry(request.record) !== null) throw heldElsewhere(place, "not committed");
    const record: v.InferOutput<typeof recordShape> = { version: 1, top: place.top, commit: request.commit };
    putFile(request.record, JSON.stringify(record), { mode: 0o600, temporaryIn: scratch });
  }
  const held = await lockIndex(place, request);
  if (held !== null) return held;
  if (request.record !== null) removeAll(request.record);
  throw heldElsewhere(place, "not committed");
}

/**
 * Completes the index that a killed run owes to the branch, if the record says so; what a person staged since stays.
 * The caller has the repo's lock. Does not throw if git fails.
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
    const held = await lockIndex(place, { ...options, commit, record });
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
    const [own] = error instanceof TaskPhaseError ? error.findings : [];
    const fix = own?.fix ?? seeStatus;
    return [warningFinding("TP_GIT_INDEX", (error as Error).message, { file: own?.file ?? place.top, fix })];
  }
}

async function hasCommit(place: GitPlace, commit: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", commit, "HEAD"];
  return (await runGit(place, args, { env, accept: [0, 1, 128] })).exitCode === 0;
}

const goneMode = "000000";

/** Entries that the index still has as before the commit; none if the branch never got it. */
async function listBehind(place: GitPlace, commit: string, env: NodeJS.ProcessEnv): Promise<StagedEntry[]> {
  if (!(await hasCommit(place, commit, env))) return [];
  const changes = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames", commit];
  const parts = splitNul((await runGit(place, changes, { env })).stdout);
  const staged = await listStaged(place, { env });
  const behind: StagedEntry[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const path = parts[at + 1] ?? Buffer.alloc(0);
    const [oldMode = "", mode = "", oldId = "", oid = ""] = (parts[at] ?? "").toString("latin1").slice(1).split(" ");
    const was = oldMode === goneMode ? undefined : `${oldMode} ${oldId} 0`;
    if (staged.get(path.toString("latin1")) === was) behind.push({ path, mode, oid });
  }
  return behind;
}

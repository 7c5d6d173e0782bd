import {
  constants,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { listArtifacts } from "../evidence/artifacts.ts";
import { listRepoPaths } from "../git/list-paths.ts";
import { staysInside } from "../proof/entries.ts";
import { removeTree } from "../proof/remove-tree.ts";
import { errorCode, storeError } from "../store/error-code.ts";
import { lookAt } from "../store/folder.ts";
import { joinBytes, pathKey } from "../store/path-key.ts";
import type { TaskPlace } from "./task-place.ts";

/** Of one copy. Five of them are made at most, and where the file system shares blocks they cost next to nothing. */
export const mostCopyBytes = 1024 * 1024 * 1024;
export const mostCopyFiles = 200_000;
/** Of the proof that a reviewer is given; what is beyond it is not copied. */
const mostProofBytes = 64 * 1024 * 1024;

export interface CopyPlan {
  readonly repo: Buffer;
  /** Relative to the repo. */
  readonly paths: readonly Buffer[];
  readonly bytes: number;
}

/** What a scratch copy of the repo would hold: its contents as the fingerprint has them. */
export async function planCopy(repo: string, leaveOut: readonly string[], env: NodeJS.ProcessEnv): Promise<CopyPlan> {
  const root = Buffer.from(realpathSync(repo));
  const excluded = leaveOut.map((path) => Buffer.from(path));
  const { paths } = await listRepoPaths(repo, env);
  let bytes = 0;
  const kept = paths.filter((path) => {
    const absolute = joinBytes(root, path);
    if (excluded.some((out) => standsIn(absolute, out))) return false;
    const stats = lookAt(absolute);
    if (stats?.isFile() === true) bytes += stats.size;
    return stats !== null;
  });
  return { repo: root, paths: kept, bytes };
}

function standsIn(path: Buffer, out: Buffer): boolean {
  return path.subarray(0, out.length).equals(out) && (path.length === out.length || path[out.length] === 0x2f);
}

/** True where the plan is more than a copy may be. */
export function isTooBig({ paths, bytes }: CopyPlan): boolean {
  return paths.length > mostCopyFiles || bytes > mostCopyBytes;
}

/**
 * Makes the copy in a folder that is made for it. A link that leads out of it would lead to the real files: in its
 * place, and in that of a pipe or a device, stands a text that says what it was. What cannot be read is left out.
 */
export async function copyRepo({ repo, paths }: CopyPlan, target: string): Promise<void> {
  const root = Buffer.from(target);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const [index, path] of paths.entries()) {
    if (index % 64 === 63) await nextTurn();
    const to = joinBytes(root, path);
    mkdirSync(parentOf(to), { recursive: true });
    copyOne(joinBytes(repo, path), to, path);
  }
}

/** What a reviewer sees of the task: what people and agents write, and the agent's proof; nothing of the runner's. */
export function copyTask(place: TaskPlace, target: string): void {
  mkdirSync(join(target, "artifacts"), { recursive: true, mode: 0o700 });
  const names = ["README", "STATE", "TASKS", "DECISIONS", "EVIDENCE", "ASSUMPTIONS", "DEFERRED"];
  const files = names.map((name) => `${name}.md`);
  let left = mostProofBytes;
  for (const { path, size } of listArtifacts(place.taskDir, "agent")) {
    left -= size;
    if (left >= 0) files.push(path);
  }
  for (const file of files) {
    const from = Buffer.from(join(place.taskDir, file));
    if (lookAt(from)?.isFile() !== true) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    copyOne(from, Buffer.from(join(target, file)), Buffer.from(file));
  }
}

const prefix = "review-";

/** Where the copies of one round of reviews stand; see `removeReviewCopies`. */
export function reviewFolder(anchorFolder: string, pass: number): string {
  return join(anchorFolder, `${prefix}${pass}`);
}

/** Removes what earlier rounds left, as those that were killed. Gives the folders that could not be removed. */
export function removeReviewCopies(anchorFolder: string): string[] {
  return readdirSync(anchorFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(prefix))
    .map((entry) => join(anchorFolder, entry.name))
    .filter((folder) => !removeTree(folder));
}

function copyOne(from: Buffer, to: Buffer, path: Buffer): void {
  const stats = lookAt(from);
  if (stats === null) return;
  try {
    if (stats.isFile()) copyFileSync(from, to, constants.COPYFILE_FICLONE);
    else if (stats.isSymbolicLink()) copyLink(from, to, path);
    else
      writeFileSync(to, stats.isDirectory() ? "a folder that could not be read\n" : "a pipe, a socket or a device\n");
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EACCES" && code !== "EPERM" && code !== "ENOENT") throw storeError("copy", pathKey(from), error);
  }
}

function copyLink(from: Buffer, to: Buffer, path: Buffer): void {
  const target = readlinkSync(from, { encoding: "buffer" });
  if (staysInside(path.toString("latin1"), target.toString("latin1"))) symlinkSync(target, to);
  else writeFileSync(to, sayLink(target));
}

function sayLink(target: Buffer): string {
  return `a link to ${pathKey(target)}, which is not part of this copy\n`;
}

function parentOf(path: Buffer): Buffer {
  return path.subarray(0, Math.max(1, path.lastIndexOf(0x2f)));
}

import { constants, copyFileSync, mkdirSync, readdirSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listArtifacts } from "../evidence/artifacts.ts";
import type { Fingerprint } from "../git/fingerprint.ts";
import { contentBounds } from "../proof/bounds.ts";
import { type CopyContents, contentsOf, makeCopy } from "../proof/clean-copy.ts";
import { readEntry } from "../proof/entries.ts";
import { removeTree } from "../proof/remove-tree.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import { errorCode, storeError } from "../store/error-code.ts";
import { lookAt } from "../store/folder.ts";
import { joinBytes, pathBytes, pathKey } from "../store/path-key.ts";
import { parentFolder } from "../store/replace-entry.ts";
import type { TaskPlace } from "./task-place.ts";

/** Of the proof that a reviewer is given; what is beyond it is not copied. */
const mostProofBytes = 64 * 1024 * 1024;

/** What a scratch copy of the repo holds: its contents as the fingerprint has them. */
export interface CopyPlan {
  /** Its real path. */
  readonly repo: string;
  readonly contents: CopyContents;
  readonly bytes: number;
}

export function planCopy(repo: string, fingerprint: Fingerprint): CopyPlan {
  const root = realpathSync(repo);
  const contents = contentsOf(fingerprint.entries, "repo", { nested: [], settings: [] });
  let bytes = 0;
  for (const [path, { entry }] of contents) {
    if (readEntry(entry)?.kind === "file") bytes += lookAt(pathIn(root, path))?.size ?? 0;
  }
  return { repo: root, contents, bytes };
}

/** True if the plan is more than a copy may be. Five of them are made at most. */
export function isTooBig({ contents, bytes }: CopyPlan): boolean {
  return contents.size > contentBounds.files || bytes > contentBounds.bytes;
}

/**
 * Makes a clean copy for one reviewer. A text takes the place of everything that no copy holds: a link that leaves the
 * repo, a pipe, a device, a file that cannot be read. Throws TP_REVIEW_MOVED if the repo changes meanwhile.
 */
export async function copyRepo({ repo, contents }: CopyPlan, target: string): Promise<void> {
  const made = await makeCopy({ repo, origin: null, contents, target, signal: null });
  if (made.kind === "refused") {
    const message = `no reviewer can be asked: ${made.reason}`;
    const fix = "run it again when nothing else writes to the repo";
    throw new TaskPhaseError("locked", [errorFinding("TP_REVIEW_MOVED", message, { file: repo, fix })]);
  }
  if (made.kind === "aborted") return;
  for (const path of made.leftOut) {
    const to = pathIn(target, path);
    mkdirSync(parentFolder(to), { recursive: true });
    writeFileSync(to, sayLeftOut(pathIn(repo, path)), { flag: "wx" });
  }
}

function sayLeftOut(path: Buffer): string {
  const stats = lookAt(path);
  if (stats?.isSymbolicLink() === true)
    return `a link to ${pathKey(readlinkSync(path, { encoding: "buffer" }))}, which is not part of this copy\n`;
  if (stats?.isDirectory() === true) return "a folder that could not be read\n";
  return stats?.isFile() === true ? "a file that could not be read\n" : "a pipe, a socket or a device\n";
}

function pathIn(root: string, path: string): Buffer {
  return joinBytes(Buffer.from(root), pathBytes(path));
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
    const from = join(place.taskDir, file);
    if (lookAt(Buffer.from(from))?.isFile() !== true) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    copyOne(from, join(target, file));
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

function copyOne(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EACCES" && code !== "EPERM" && code !== "ENOENT") throw storeError("copy", from, error);
  }
}

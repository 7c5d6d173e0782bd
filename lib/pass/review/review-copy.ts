import { constants, copyFileSync, mkdirSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { contentsOf, makeCopy } from "../../checks/proof/clean-copy.ts";
import { contentBounds } from "../../git/content-bounds.ts";
import { readEntry } from "../../git/content-entries.ts";
import type { Fingerprint } from "../../git/fingerprint-entries.ts";
import { listArtifacts } from "../../pages/files/list-artifacts.ts";
import { errorCode, storeError } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { bytesIn, pathKey } from "../../store/path-key.ts";
import { parentFolder } from "../../store/replace-entry.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { lockedError } from "../../text/errors.ts";

/** Limit of the proof that a reviewer is given; files beyond it are not copied. */
const mostProofBytes = 64 * 1024 * 1024;

/** The contents of a scratch copy of the repo, as the fingerprint lists them. */
export type CopyPlan = Readonly<ReturnType<typeof planCopy>>;

export function planCopy(repo: string, fingerprint: Fingerprint) {
  const root = realpathSync(repo);
  const contents = contentsOf(fingerprint.entries, "repo", { nested: [], settings: [] });
  let bytes = 0;
  for (const [path, { entry }] of contents) {
    if (readEntry(entry)?.kind === "file") bytes += statEntry(bytesIn(root, path))?.size ?? 0;
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
  const made = await makeCopy({ repo, origin: null, blobs: null, contents, target, signal: null });
  if (made.kind === "refused") {
    const message = `no reviewer can run: ${made.reason}`;
    const fix = "run it again when nothing else is writing to the repo";
    throw lockedError("TP_REVIEW_MOVED", message, { file: repo, fix });
  }
  if (made.kind === "aborted") return;
  for (const path of made.leftOut) {
    const to = bytesIn(target, path);
    mkdirSync(parentFolder(to), { recursive: true });
    writeFileSync(to, renderLeftOut(bytesIn(repo, path)), { flag: "wx" });
  }
}

function renderLeftOut(path: Buffer): string {
  const stats = statEntry(path);
  if (stats?.isSymbolicLink() === true)
    return `a link to ${pathKey(readlinkSync(path, { encoding: "buffer" }))}, which is not part of this copy\n`;
  if (stats?.isDirectory() === true) return "a folder that could not be read\n";
  return stats?.isFile() === true ? "a file that could not be read\n" : "a pipe, a socket or a device\n";
}

/** Copies what people and agents write, and the agent's proof; nothing of the runner's. */
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
    if (statEntry(Buffer.from(from))?.isFile() !== true) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    copyOne(from, join(target, file));
  }
}

function copyOne(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EACCES" && code !== "EPERM" && code !== "ENOENT") throw storeError("copy", from, error);
  }
}

import { accessSync, constants } from "node:fs";
import { findProof } from "../evidence/artifacts.ts";
import type { EvidenceFacts } from "../machine/facts.ts";
import type { ListedItem, StateView } from "../machine/state-view.ts";
import { dataError, diskError, TaskPhaseError } from "../report/errors.ts";
import { sayError } from "../store/error-code.ts";
import { lookAt } from "../store/folder.ts";
import { readRegularFile } from "../store/read-file.ts";
import { type Question, readDecisions } from "../task-folder/decisions.ts";
import { readEvidence } from "../task-folder/evidence-file.ts";
import { readSteps } from "../task-folder/steps.ts";
import { boardExcludes } from "./board-files.ts";
import { listTaskFolders } from "./guarded-paths.ts";
import type { TaskPlace } from "./task-place.ts";

/** Looking at a task folder and a repo: what is there, as values. Nothing here changes anything. */

/** The agent's proof, and what the Evidence link points to because of it. */
export function lookAtEvidence(place: TaskPlace, state: StateView): EvidenceFacts {
  return findProof(place.taskDir, state.fields.evidence_location);
}

/** The items of TASKS.md; none where there is no such file. Unreadable before a pass: a data error. */
export function lookAtSteps(place: TaskPlace): readonly ListedItem[] {
  const bytes = readTaskFile(place.steps);
  if (bytes === null) return [];
  const read = readSteps(bytes, place.steps);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return read.items;
}

/** The questions of DECISIONS.md; none where there is no such file. Unreadable: a data error. */
export function lookAtQuestions(place: TaskPlace): readonly Question[] {
  const bytes = readTaskFile(place.decisions);
  if (bytes === null) return [];
  const read = readDecisions(bytes, place.decisions);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return read.questions;
}

/** EVIDENCE.md as it stands, a byte-order mark included; null where there is no such file. Unreadable: a data error. */
export function lookAtEvidenceText(place: TaskPlace): string | null {
  const bytes = readTaskFile(place.evidence);
  if (bytes === null) return null;
  const read = readEvidence(bytes, place.evidence);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return bytes.toString("utf8");
}

/** The runner's own folders are real ones or not there yet: through a link it would write somewhere else. */
export function requireOwnFolders(place: TaskPlace): void {
  for (const folder of [place.artifacts, place.passes]) {
    const stats = lookAt(folder);
    if (stats === null || stats.isDirectory()) continue;
    const what = stats.isSymbolicLink() ? "a symbolic link" : "no folder";
    throw dataError("TP_TASK_FILE", `this is ${what}; a folder is expected`, {
      file: folder,
      fix: "put a folder there; git may still have it",
    });
  }
}

/** What a pass needs only later on: looked at first, so that no model is paid for a pass that cannot be recorded. */
export function requireReadable(place: TaskPlace): void {
  lookAtSteps(place);
  lookAtQuestions(place);
  lookAtEvidenceText(place);
}

/**
 * Whether the verdict of a pass could be written where it belongs: asked before a model is paid for it, and before the
 * rights of the folder are noted as those to put back. Throws TP_DISK.
 */
export function requireWritable(place: TaskPlace): void {
  for (const folder of [place.taskDir, place.artifacts, place.passes].filter((path) => lookAt(path) !== null)) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw diskError(
        "TP_DISK",
        `the task folder cannot be written to: ${sayError(cause)}`,
        {
          file: folder,
          fix: "see that this user may write there, then call it again; no model was called",
        },
        cause,
      );
    }
  }
}

/**
 * What is no part of the repo's contents: the tasks root's task folders, its `.task-phase/` and the files of its board.
 */
export function fingerprintExcludes(place: TaskPlace, repo: string): string[] {
  const { runtime, taskDir, tasksRoot } = place;
  return [runtime, ...new Set([taskDir, ...listTaskFolders(tasksRoot)]), ...boardExcludes(tasksRoot, repo)];
}

/** The bytes of an optional file of the task folder; null where it is missing. */
export function readTaskFile(path: string): Buffer | null {
  const read = readRegularFile(path, 4 * 1024 * 1024);
  if (read.kind === "missing") return null;
  if (read.kind === "file") return read.bytes;
  throw unreadableFile(path, read);
}

/** A data error for a task file that is not what it must be. */
export function unreadableFile(path: string, read: { kind: string; code?: string; size?: number }): TaskPhaseError {
  const what: Record<string, string> = {
    missing: "is missing",
    link: "is a symbolic link; a task file must be a regular file",
    folder: "is a folder; a task file must be a regular file",
    special: "is a FIFO, socket or device; a task file must be a regular file",
    too_big: `is too big (${read.size} bytes)`,
    unreadable: `cannot be read (${read.code})`,
  };
  const fixes: Record<string, string> = {
    missing: "put it back, as from git; task-phase init makes a new one",
    too_big: "shorten it; long parts belong in files under artifacts/",
    unreadable: "make it readable for this user",
  };
  return new TaskPhaseError("data", [
    {
      severity: "error",
      code: "TP_TASK_FILE",
      message: `the file ${what[read.kind] ?? read.kind}`,
      file: path,
      line: null,
      column: null,
      fix: fixes[read.kind] ?? "put a regular file there; git may still have it",
    },
  ]);
}

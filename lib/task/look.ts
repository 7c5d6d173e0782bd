import { accessSync, constants } from "node:fs";
import { sep } from "node:path";
import type { TaskPlace } from "../anchor/task-place.ts";
import { type ArtifactRow, findProof, listArtifacts } from "../evidence/files/artifacts.ts";
import type { EvidenceFacts } from "../machine/facts.ts";
import type { FeatureRow, ListedItem, StateView } from "../machine/state-view.ts";
import { dataError, diskError, TaskPhaseError } from "../report/errors.ts";
import { describeError, passMachineFault } from "../store/error-code.ts";
import { lookAt, realOr } from "../store/folder.ts";
import { readRegularFile } from "../store/read-file.ts";
import { type Question, readDecisions } from "../task-folder/decisions.ts";
import { readEvidence } from "../task-folder/evidence-file.ts";
import { readState, type StateDocument } from "../task-folder/state.ts";
import { readSteps, type Steps } from "../task-folder/steps.ts";
import { rootExcludes } from "./board-files.ts";
import { listTaskFolders } from "./guarded-paths.ts";
import { prdExcludes } from "./story-sources.ts";

/** Looking at a task folder and a repo: what is there, as values. Nothing here changes anything. */

/** The agent's proof among its files, and what the Evidence link points to because of it. */
export function takeEvidenceFacts(
  place: TaskPlace,
  state: StateView,
  rows: readonly ArtifactRow[] = listArtifacts(place.taskDir, "agent"),
): EvidenceFacts {
  return findProof(place.taskDir, state.fields.evidence_location, rows);
}

export function readStateBytes(path: string): Buffer {
  const read = readRegularFile(path, 1024 * 1024);
  if (read.kind !== "file") throw unreadableFile(path, read);
  return read.bytes;
}

export function parseState(bytes: Buffer, path: string): StateDocument {
  const read = readState(bytes, path);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return read.document;
}

/** The items of TASKS.md; none if there is no such file. Unreadable before a pass: a data error. */
export function lookAtSteps(place: TaskPlace): readonly ListedItem[] {
  return lookAtTasks(place).items;
}

/** The same, with the files that items name as their proof. */
export function lookAtTasks(place: TaskPlace): Steps {
  const bytes = readTaskFile(place.steps);
  if (bytes === null) return { items: [], proofs: [] };
  const read = readSteps(bytes, place.steps);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return read;
}

/** The questions of DECISIONS.md; none if there is no such file. Unreadable: a data error. */
export function lookAtQuestions(place: TaskPlace): readonly Question[] {
  const bytes = readTaskFile(place.decisions);
  return bytes === null ? [] : parseQuestions(bytes, place.decisions);
}

/** The same; none if the file cannot be read. */
export function readableQuestions({ decisions }: TaskPlace): readonly Question[] {
  const there = readRegularFile(decisions, 4 * 1024 * 1024);
  const read = there.kind === "file" ? readDecisions(there.bytes, decisions) : null;
  return read?.kind === "decisions" ? read.questions : [];
}

/** The questions that these bytes hold. Unreadable: a data error that names `path`. */
export function parseQuestions(bytes: Buffer, path: string): readonly Question[] {
  const read = readDecisions(bytes, path);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return read.questions;
}

/** EVIDENCE.md as it is, a byte-order mark included; null if there is no such file. Unreadable: a data error. */
export function readEvidenceText(place: TaskPlace): string | null {
  return readEvidenceFile(place)?.text ?? null;
}

/** What the agent's own part of EVIDENCE.md holds. */
export interface AgentEvidence {
  /** Table rows and list items. */
  readonly rows: readonly string[];
  readonly features: readonly FeatureRow[];
}

const noEvidence: AgentEvidence = { rows: [], features: [] };

/** Nothing if there is no such file. Unreadable: a data error. */
export function lookAtEvidence(place: TaskPlace): AgentEvidence {
  return readEvidenceFile(place) ?? noEvidence;
}

/** The same; nothing if the file cannot be read. A link or a folder in its place is dealt with by the guard. */
export function readableEvidence(place: TaskPlace): AgentEvidence {
  try {
    return lookAtEvidence(place);
  } catch (error) {
    passMachineFault(error);
    return noEvidence;
  }
}

/** The state with the feature checklist of EVIDENCE.md if STATE.md holds none. */
export function withFeatures(state: StateView, { features }: AgentEvidence): StateView {
  return state.features.length > 0 ? state : { ...state, features };
}

function readEvidenceFile(place: TaskPlace): (AgentEvidence & { readonly text: string }) | null {
  const bytes = readTaskFile(place.evidence);
  if (bytes === null) return null;
  const read = readEvidence(bytes, place.evidence);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return { text: bytes.toString("utf8"), rows: read.agentRows, features: read.features };
}

/** The runner's own folders are real ones or not there yet: through a link it would write somewhere else. */
export function requireOwnFolders(place: TaskPlace): void {
  for (const folder of [place.artifacts, place.passes]) {
    const stats = lookAt(folder);
    if (stats === null || stats.isDirectory()) continue;
    const what = stats.isSymbolicLink() ? "a symbolic link" : "not a folder";
    throw dataError("TP_TASK_FILE", `this is ${what}; a folder is expected`, {
      file: folder,
      fix: "put a folder there; git may still have it",
    });
  }
}

/**
 * Whether the verdict of a pass could be written where it belongs: asked before a model is paid for it, and before the
 * rights of the folder are recorded as those to restore. Throws TP_DISK.
 */
export function requireWritable(place: TaskPlace): void {
  for (const folder of [place.taskDir, place.artifacts, place.passes].filter((path) => lookAt(path) !== null)) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw diskError(
        "TP_DISK",
        `the task folder cannot be written to: ${describeError(cause)}`,
        {
          file: folder,
          fix: "give this user write permission, then run it again; no model was called",
        },
        cause,
      );
    }
  }
}

/**
 * What is no part of the repo's contents: the tasks root's task folders, its `.task-phase/`, the files of its board and
 * those for git, and the prd.json that its tasks were made from. The other task folders are not looked for if none of
 * them can be in the repo.
 */
export function fingerprintExcludes(place: TaskPlace, repo: string): string[] {
  const { runtime, taskDir, tasksRoot } = place;
  return [
    runtime,
    ...new Set([taskDir, ...(standsApart(tasksRoot, repo) ? [] : listTaskFolders(tasksRoot))]),
    ...rootExcludes(tasksRoot, repo),
    ...prdExcludes(place),
  ];
}

/** True if neither holds the other. */
function standsApart(tasksRoot: string, repo: string): boolean {
  const real = realOr(repo);
  const holds = (outer: string, inner: string): boolean => `${inner}${sep}`.startsWith(`${outer}${sep}`);
  return !holds(real, tasksRoot) && !holds(tasksRoot, real) && real !== sep;
}

/** The bytes of an optional file of the task folder; null if it is missing. */
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
    too_big: `is too large (${read.size} bytes)`,
    unreadable: `cannot be read (${read.code})`,
  };
  const fixes: Record<string, string> = {
    missing: "restore it, for example from git; task-phase init makes a new one",
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

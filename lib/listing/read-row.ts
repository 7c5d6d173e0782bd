import { closeSync, constants, lstatSync, openSync, readSync, type Stats } from "node:fs";
import type { TaskPlace } from "../anchor/task-place.ts";
import { judgeReady } from "../task/judge-ready.ts";
import type { Contract } from "../task-folder/contract.ts";
import type { PartialContract } from "../task-folder/contract-schema.ts";
import { easyText } from "../task-folder/easy-text.ts";
import { type StateScan, scanState } from "../task-folder/plain-phase.ts";
import { type ScannedContract, scanContract } from "../task-folder/scan-contract.ts";
import { isEvidencePlain } from "../task-folder/scan-evidence.ts";
import { ownText } from "../text/own-text.ts";
import { type ListedBrief, type ListedFiles, noHistory, toListedHistory } from "./listed-files.ts";
import type { Parsers } from "./parsers.ts";
import { figuresOf, stampedNames } from "./stamp.ts";

/** A row, and what tells whether it still holds. */
export interface ReadRow {
  readonly files: ListedFiles;
  /** Bit n: the nth of `stampedNames` is there. */
  readonly present: number;
  /** Null: a file changed a moment ago, or is no file. */
  readonly stamp: readonly number[] | null;
}

/**
 * Reads the own files of a task for a list. What leaves no doubt is scanned; all else is left to the parsers. Null if
 * there are none, and one is needed. Throws a TaskPhaseError if a file cannot be read.
 */
export function readRow(place: TaskPlace, defaults: PartialContract, parsers: Parsers): ReadRow;
export function readRow(place: TaskPlace, defaults: PartialContract, parsers: Parsers | null): ReadRow | null;
export function readRow(place: TaskPlace, defaults: PartialContract, parsers: Parsers | null): ReadRow | null {
  // Before anything is read: a change after this is seen by the next look.
  const seen = lookAtFiles(place);
  const brief = scanReadme(seen, defaults) ?? parsers?.readBrief(place, defaults);
  if (brief === undefined) return null;
  const state = scanStateFile(seen) ?? parsers?.readState(place);
  if (state === undefined) return null;
  if (!hasOwnFolders(seen)) {
    if (parsers === null) return null;
    parsers.requireOwnFolders(place);
  }
  const journal = isMissing(seen, "artifacts/journal.jsonl") ? null : parsers?.readJournal(place);
  if (journal === undefined) return null;
  if (!isMissing(seen, "TASKS.md") && scanFile(seen, "TASKS.md", isAnyText) === null) {
    if (parsers === null) return null;
    parsers.requireSteps(place);
  }
  const questions = isMissing(seen, "DECISIONS.md") ? none : parsers?.readQuestions(place);
  if (questions === undefined) return null;
  if (!isMissing(seen, "EVIDENCE.md") && !hasPlainEvidence(seen)) {
    if (parsers === null) return null;
    parsers.requireEvidence(place);
  }
  const control = isMissing(seen, "CONTROL.md") ? noControl : parsers?.readControl(place);
  if (control === undefined) return null;
  const history = journal?.history ?? null;
  const isThere = (name: StampedName) =>
    seen === null ? parsers?.stands(`${place.taskDir}/${name}`) === true : !isMissing(seen, name);
  const [unready] = judgeReady(brief, { readme: place.readme, lastPass: history?.lastPass ?? 0 });
  return {
    ...stampOf(seen),
    files: {
      brief: toListedBrief(brief.contract),
      unready: unready?.message ?? null,
      phase: state.phase,
      blockers: state.blockers === usualBlockers ? usualBlockers : ownText(state.blockers),
      edited: history !== null && history.state !== null && history.state !== state.text,
      history: history === null ? noHistory : toListedHistory(history),
      movedAt: journal?.movedAt ?? null,
      questions,
      paused: control.paused,
      retry: control.retry,
      hasPage: seen === null ? parsers?.stands(place.page) === true : seen.hasPage,
      hasState: isThere("STATE.md"),
      hasEvidence: isThere("EVIDENCE.md"),
      hasDecisions: isThere("DECISIONS.md"),
      hasGit: seen === null || seen.hasGit,
    },
  };
}

const usualBlockers = "none";
const none: readonly never[] = [];
const noControl = { paused: null, retry: false };

function toListedBrief(contract: Contract): ListedBrief {
  const { id, title, priority, dependsOn, repo, questionWaitMs, validators, scenarios, heldOut } = contract;
  return {
    id: ownText(id),
    title: ownText(title),
    priority,
    dependsOn,
    repo,
    questionWaitMs,
    validators,
    scenarios,
    heldOut,
  };
}

interface SeenFiles {
  readonly place: TaskPlace;
  /** By their place in `stampedNames`; undefined for what is not there. */
  readonly stats: readonly (Stats | undefined)[];
  readonly at: number;
  readonly hasPage: boolean;
  readonly hasGit: boolean;
  /** `artifacts/passes` is a folder, or not there. */
  readonly passesFit: boolean;
}

/** Null if something there cannot be looked at: the parsers say what is wrong with it. */
function lookAtFiles(place: TaskPlace): SeenFiles | null {
  const { taskDir } = place;
  const at = Date.now();
  const look = (name: string) => lstatSync(name === "" ? taskDir : `${taskDir}/${name}`, { throwIfNoEntry: false });
  try {
    // The folders before what is in them.
    const stats = stampedNames.map((name) => look(name));
    if (stats[0]?.isDirectory() !== true) return null;
    return {
      place,
      stats,
      at,
      hasPage: look("artifacts/evidence.html") !== undefined,
      hasGit: look(".git") !== undefined,
      passesFit: look("artifacts/passes")?.isDirectory() !== false,
    };
  } catch {
    return null;
  }
}

function stampOf(seen: SeenFiles | null): Pick<ReadRow, "present" | "stamp"> {
  const unsettled = { present: 0, stamp: null };
  if (seen === null) return unsettled;
  let present = 0;
  const stamp: number[] = [];
  for (const [bit, stats] of seen.stats.entries()) {
    if (stats === undefined) continue;
    const figures = figuresOf(stats, seen.at);
    if (figures === null) return unsettled;
    present |= 1 << bit;
    stamp.push(...figures);
  }
  return { present, stamp };
}

type StampedName = (typeof stampedNames)[number];

function statsOf(seen: SeenFiles, name: StampedName): Stats | undefined {
  return seen.stats[stampedNames.indexOf(name)];
}

function isMissing(seen: SeenFiles | null, name: StampedName): boolean {
  return seen !== null && statsOf(seen, name) === undefined;
}

function hasOwnFolders(seen: SeenFiles | null): boolean {
  return seen?.passesFit === true && statsOf(seen, "artifacts")?.isDirectory() !== false;
}

/** The answer of a scanner to a file whose text is an easy one; null: it has none, or there is no such file. */
function scanFile<Answer>(
  seen: SeenFiles | null,
  name: StampedName,
  scanner: (text: string) => Answer | null | false,
): Answer | null {
  const bytes = readSeen(seen, name);
  const text = bytes === null ? null : easyText(bytes);
  return text === null ? null : scanner(text) || null;
}

/** As `readSmall`; null also if it is no regular file. */
function readSeen(seen: SeenFiles | null, name: StampedName): Buffer | null {
  const stats = seen === null ? undefined : statsOf(seen, name);
  return seen === null || stats?.isFile() !== true ? null : readSmall(`${seen.place.taskDir}/${name}`, stats.size);
}

/** The last EVIDENCE.md that was plain: tasks without a pass have all the same one. */
let plainEvidence = Buffer.alloc(0);

function hasPlainEvidence(seen: SeenFiles | null): boolean {
  const bytes = readSeen(seen, "EVIDENCE.md");
  if (bytes === null) return false;
  if (bytes.equals(plainEvidence)) return true;
  const text = easyText(bytes, 2);
  if (text === null || !isEvidencePlain(text)) return false;
  plainEvidence = Buffer.from(bytes);
  return true;
}

const isAnyText = () => true;

function scanStateFile(seen: SeenFiles | null): (StateScan & { readonly text: string }) | null {
  return scanFile(seen, "STATE.md", (text) => {
    const scan = scanState(text);
    return scan === null ? null : { ...scan, text };
  });
}

function scanReadme(seen: SeenFiles | null, defaults: PartialContract): ScannedContract | null {
  return scanFile(seen, "README.md", (text) => scanContract(text, defaults));
}

const room = Buffer.allocUnsafe(16 * 1024);

/** The bytes of a regular file of this size, valid until the next call; null if it is another file by now. */
function readSmall(path: string, size: number): Buffer | null {
  if (size >= room.length) return null;
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    return readSync(descriptor, room, 0, size + 1, 0) === size ? room.subarray(0, size) : null;
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

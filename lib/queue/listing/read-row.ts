import type { PartialContract } from "../../documents/contract-schema.ts";
import { easyText } from "../../documents/easy-text.ts";
import { findLostState } from "../../documents/lost-state.ts";
import { type StateScan, scanState } from "../../documents/plain-phase.ts";
import { readTaskFile, taskFiles } from "../../documents/read-task-file.ts";
import { scanContract } from "../../documents/scan-contract.ts";
import { isEvidencePlain } from "../../documents/scan-evidence.ts";
import { stateText } from "../../documents/state.ts";
import { holdsBack, waitsIn } from "../../pass/people/control-file.ts";
import { readHistory } from "../../rules/add-event.ts";
import type { TaskEvent } from "../../rules/events.ts";
import { judgeReady } from "../../task/judge-ready.ts";
import { requireOwnFolders } from "../../task/own-folders.ts";
import { readTaskJournal } from "../../task/records/task-journal.ts";
import { stands, type TaskPlace } from "../../task/records/task-place.ts";
import { parseAccepted } from "../../task/session.ts";
import { ownText } from "../../text/own-text.ts";
import { sha256 } from "../../text/sha256.ts";
import { type ListedFiles, noHistory, toListedBrief, toListedHistory } from "./listed-files.ts";
import {
  hasOwnFolders,
  isMissing,
  type RowStamp,
  readSeen,
  type SeenFiles,
  type StampedName,
  stampOf,
  statFiles,
} from "./seen-rows.ts";

/**
 * Reads the own files of a task for a list. What leaves no doubt is scanned; all else is read as everywhere. Throws a
 * TaskPhaseError if a file cannot be read.
 */
export function readRow(place: TaskPlace, defaults: PartialContract): RowStamp & { readonly files: ListedFiles } {
  const { taskDir } = place;
  // Before anything is read: a change after this is seen by the next look.
  const seen = statFiles(place);
  const brief =
    scanFile(seen, "README.md", (text) => scanContract(text, defaults)) ??
    readTaskFile(taskFiles.brief, taskDir, defaults);
  const scanned = scanFile(seen, "STATE.md", (text) => {
    const scan = scanState(text);
    return scan === null ? null : { ...scan, text };
  });
  if (!hasOwnFolders(seen)) requireOwnFolders(place);
  const journal = isMissing(seen, "artifacts/journal.jsonl") ? null : readTaskJournal(place.journal);
  const history = journal === null ? null : readHistory(journal.events);
  const state = scanned ?? readWholeState(place, history?.state ?? null);
  if (!isMissing(seen, "TASKS.md") && scanFile(seen, "TASKS.md", isAnyText) === null)
    readTaskFile(taskFiles.steps, taskDir);
  const questions = isMissing(seen, "DECISIONS.md") ? none : readTaskFile(taskFiles.decisions, taskDir).questions;
  if (!isMissing(seen, "EVIDENCE.md") && scanFile(seen, "EVIDENCE.md", isEvidencePlain, 2) === null)
    readTaskFile(taskFiles.evidence, taskDir);
  const hasControl = !isMissing(seen, "CONTROL.md");
  const isThere = (name: StampedName) => (seen === null ? stands(`${taskDir}/${name}`) : !isMissing(seen, name));
  const digestBrief = () =>
    sha256(readSeen(seen, "README.md") ?? readTaskFile(taskFiles.brief, taskDir, defaults).bytes);
  const [unready] = judgeReady(brief, { readme: place.readme, lastPass: history?.lastPass ?? 0 });
  return {
    ...stampOf(seen),
    files: {
      brief: toListedBrief(brief.contract),
      hindered: unready === undefined ? null : { why: unready.message, until: null },
      phase: state.phase,
      blockers: state.blockers === usualBlockers ? usualBlockers : ownText(state.blockers),
      edited: history !== null && history.state !== null && history.state !== state.text,
      briefEdited: history?.phase === "done" && history.lastVerdict?.contract_sha256 !== digestBrief(),
      history: history === null ? noHistory : toListedHistory(history),
      movedAt: journal?.events.findLast(({ type }) => moves.has(type))?.at ?? null,
      questions,
      paused: hasControl ? holdsBack(place) : null,
      retry: hasControl && waitsIn(place, "RETRY"),
      hasPage: seen === null ? stands(place.page) : seen.hasPage,
      hasState: isThere("STATE.md"),
      hasEvidence: isThere("EVIDENCE.md"),
      hasDecisions: isThere("DECISIONS.md"),
      hasGit: seen === null || seen.hasGit,
    },
  };
}

/** The events that judge a task or move it; the others only note something. */
const moves: ReadonlySet<TaskEvent["type"]> = new Set([
  "adopted",
  "state_edited",
  "defaulted",
  "advanced",
  "verdict",
  "escalated",
  "resumed",
  "not_merged",
  "answered",
]);

/** Where it is lost, the next run puts the accepted one back, as after any edit that it refuses. */
function readWholeState(
  { taskDir, journal }: TaskPlace,
  accepted: string | null,
): StateScan & { readonly text: string } {
  const isLost = accepted !== null && findLostState(taskDir) !== null;
  const document = isLost ? parseAccepted(accepted, journal) : readTaskFile(taskFiles.state, taskDir).document;
  const { phase, fields } = document.view;
  return { phase, blockers: fields.blockers, text: isLost ? "" : stateText(document) };
}

const usualBlockers = "none";
const none: readonly never[] = [];

/**
 * The answer of a scanner to a file whose text is an easy one, so many times over; null: it has none, or there is no such
 * file.
 */
function scanFile<Answer>(
  seen: SeenFiles | null,
  name: StampedName,
  scanner: (text: string) => Answer | null | false,
  times = 1,
): Answer | null {
  const bytes = readSeen(seen, name);
  const text = bytes === null ? null : easyText(bytes, times);
  return text === null ? null : scanner(text) || null;
}

const isAnyText = () => true;

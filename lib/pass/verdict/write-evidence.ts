import type { Question } from "../../documents/decisions.ts";
import { setParts, withFeatures } from "../../documents/evidence-file.ts";
import { parseTaskFile, readIfGood, readOptionalFile, taskFiles } from "../../documents/read-task-file.ts";
import { readState } from "../../documents/state.ts";
import type { StateData } from "../../documents/templates/render-task-files.ts";
import { type ArtifactRow, type KnownFiles, listArtifacts } from "../../pages/files/list-artifacts.ts";
import {
  type EvidenceAddress,
  renderEvidenceParts,
  renderPullRequest,
  renderSummary,
} from "../../pages/markdown/evidence-parts.ts";
import { buildEvidenceModel, type EvidenceModel } from "../../pages/model/build-model.ts";
import { renderEvidencePage } from "../../pages/page/evidence-page.ts";
import { type PageFiles, readPageFiles } from "../../pages/page/page-files.ts";
import type { TaskEvent } from "../../rules/events.ts";
import type { Held } from "../../rules/held.ts";
import type { Moved } from "../../rules/standing-facts.ts";
import type { StateView } from "../../rules/state-view.ts";
import { type FolderSyncs, gatherSyncs, makeFolder } from "../../store/folder.ts";
import { formatEvent } from "../../store/journal.ts";
import { editFile, putFile } from "../../store/put-file.ts";
import { readText } from "../../store/read-file.ts";
import { cleanEvent, requireEvent } from "../../task/commit-event.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import { isAnswered, timelessAsks } from "../../task/open-questions.ts";
import { endPacking, packPasses, readPacked } from "../../task/pack-passes.ts";
import { stands, type TaskPlace } from "../../task/records/task-place.ts";
import type { TaskSession } from "../../task/session.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { warningFinding } from "../../text/finding.ts";
import { redactDeep } from "../../text/redact.ts";

export type EvidenceTask = Omit<StateData, "now" | "frame">;

/** An event that may not be in the journal yet, with DECISIONS.md's questions after it. */
interface PendingEvent {
  readonly event: TaskEvent;
  readonly questions: readonly Question[];
}

/** `pending`: one more event. `moved`: the repo's difference from `done`. `known` saves reading earlier passes. */
export function modelEvidence(
  session: TaskSession,
  task: EvidenceTask,
  pending: PendingEvent | null,
  { moved = null, held = null, known }: { moved?: Moved | null; held?: Held | null; known?: KnownFiles } = {},
): EvidenceModel {
  const { place, journal, ports } = session;
  const next =
    pending === null ? null : formatEvent(journal.head, journal.seq + 1, cleanEvent(pending.event, ports.redactor));
  const events = next === null ? journal.events : [...journal.events, requireEvent(next.line)];
  const text = [...events]
    .reverse()
    .map((event) => ("state" in event ? event.state : null))
    .find((state) => state !== null);
  const state = text === undefined ? null : readState(Buffer.from(text), "STATE.md");
  const redact = (value: string) => ports.redactor.redact(value);
  const questions = pending?.questions ?? readIfGood(taskFiles.decisions, place.taskDir).questions;
  // The journal is redacted already; names from people and agents are not.
  return buildEvidenceModel({
    task: { id: redact(task.id), title: redact(task.title) },
    userFacing: task.userFacing,
    state: state?.kind === "state" ? redactDeep(shownState(state.document.view, place, task), ports.redactor) : null,
    events,
    head: next?.head ?? journal.head,
    artifacts: cleanRows(listArtifacts(place.taskDir, "all", known), redact),
    packed: readPacked(place),
    questions: {
      open: timelessAsks(questions).map((ask) => ({
        ...ask,
        title: redact(ask.title),
        question: redact(ask.question),
      })),
      answered:
        pending === null &&
        isAnswered({ history: session.history, phase: session.history.phase ?? "intake", questions }),
    },
    moved,
    held,
    attested: stands(place.attestation),
  });
}

/** Few names contain a secret, so search them all at once first. */
function cleanRows(rows: readonly ArtifactRow[], redact: (text: string) => string): readonly ArtifactRow[] {
  const names = rows.map(({ path, href }) => `${path}\n${href}\n`).join("");
  if (redact(names) === names) return rows;
  return rows.map((row) => ({ ...row, path: redact(row.path), href: redact(row.href) }));
}

/** A task without users shows no features, so EVIDENCE.md need not be opened for them. */
function shownState(view: StateView, place: TaskPlace, { userFacing }: EvidenceTask): StateView {
  return userFacing ? withFeatures(view, readIfGood(taskFiles.evidence, place.taskDir)) : view;
}

/** Keeps the rest of EVIDENCE.md. Returns the files that the pages show. Durable once `syncs` are made. */
export function writeEvidence(session: TaskSession, model: EvidenceModel, syncs: FolderSyncs): PageFiles {
  const { place, ports } = session;
  const title = `# Evidence: ${model.task.id}\n`;
  const redact = (value: string) => ports.redactor.redact(value);
  const files = readPageFiles(place.taskDir, model, redact);
  const parts = renderEvidenceParts(model, files);
  const read = () => {
    const bytes = readOptionalFile(place.evidence);
    parseTaskFile(taskFiles.evidence, bytes, place.evidence);
    return bytes;
  };
  const change = (before: Buffer | null) => redact(setParts(before?.toString() ?? title, parts, place.evidence));
  makeFolder(place.artifacts);
  editFile(place.evidence, read, change, { syncs });
  putFile(place.page, renderEvidencePage(model, files, redact), { syncs });
  return files;
}

export function renderForReview(session: TaskSession, model: EvidenceModel, evidence: EvidenceAddress): string {
  const redact = (value: string) => session.ports.redactor.redact(value);
  return redact(renderPullRequest(model, readPageFiles(session.place.taskDir, model, redact), evidence));
}

/**
 * Rewrites a task's pages after events outside a pass changed its standing. The journal has the events, so a failed
 * write is a finding and undoes nothing. Leaves finished tasks alone: their pages show how the code moved, which only
 * `task-phase evidence` measures.
 */
export function refreshPages(session: TaskSession, { contract }: Pick<TaskContract, "contract">): void {
  if (session.history.phase === "done") return;
  try {
    session.write(() => writeOpenPages(session, contract));
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    const message = `EVIDENCE.md and the page show an earlier state, since they could not be written: ${error.message}`;
    const fix = "mend that, and write them with: task-phase evidence";
    session.findings.push(warningFinding("TP_UNFINISHED", message, { file: session.place.taskDir, fix }));
  }
}

function writeOpenPages(session: TaskSession, { id, title, userFacing }: TaskContract["contract"]): void {
  const syncs = gatherSyncs();
  writeEvidence(session, modelEvidence(session, { id, title, userFacing }, null), syncs);
  const text = readText(session.place.summary, maxReportBytes) ?? "";
  if (text !== "" && !text.startsWith(reopened)) {
    const note = `${reopened} on ${session.ports.now().toISOString()}: this is the report of its last \`done\`. ${present}`;
    putFile(session.place.summary, `${note}\n\n${text}`, { syncs });
  }
  syncs.sync();
}

const maxReportBytes = 4 * 1024 * 1024;
const reopened = "> The task was reopened";
const present = "[EVIDENCE.md](EVIDENCE.md) shows the present state.";

/** For `keep: proof`: keeps what the proof needs, then rewrites the pages, which link that. Throws TP_DISK. */
export function trimToProof(session: TaskSession, task: EvidenceTask, moved: Moved | null = null): void {
  const { place, journal, history } = session;
  if (history.phase !== "done" || !packPasses(place, journal.events)) return;
  writePages(session, task, moved);
  endPacking(place);
}

export function writePages(session: TaskSession, task: EvidenceTask, moved: Moved | null = null): void {
  const { place, ports } = session;
  const evidence = modelEvidence(session, task, null, { moved });
  const syncs = gatherSyncs();
  const shown = writeEvidence(session, evidence, syncs);
  putFile(place.summary, ports.redactor.redact(renderSummary(evidence, shown)), { syncs });
  syncs.sync();
}

import { stands, type TaskPlace } from "../anchor/task-place.ts";
import { type ArtifactRow, type KnownFiles, listArtifacts } from "../evidence/files/artifacts.ts";
import { type EvidenceAddress, renderEvidenceParts, renderPullRequest } from "../evidence/markdown/evidence-parts.ts";
import { buildEvidenceModel } from "../evidence/model/build-model.ts";
import type { EvidenceModel } from "../evidence/model/evidence-model.ts";
import { renderEvidencePage } from "../evidence/page/evidence-page.ts";
import { type PageFiles, readPageFiles } from "../evidence/page/page-files.ts";
import type { TaskEvent } from "../machine/events.ts";
import type { Moved } from "../machine/standing-facts.ts";
import type { StateView } from "../machine/state-view.ts";
import { editFile } from "../store/edit-file.ts";
import { type FolderSyncs, makeFolder } from "../store/folder.ts";
import { formatEvent } from "../store/journal.ts";
import { putFile } from "../store/put-file.ts";
import { cleanEvent, requireEvent } from "../task/commit-event.ts";
import { readableEvidence, readableQuestions, readEvidenceText, withFeatures } from "../task/look.ts";
import { isAnswered, timelessAsks } from "../task/open-questions.ts";
import { readPacked } from "../task/pack-passes.ts";
import type { TaskSession } from "../task/session.ts";
import type { Question } from "../task-folder/decisions.ts";
import { setParts } from "../task-folder/evidence-file.ts";
import { readState } from "../task-folder/state.ts";
import { redactDeep } from "../text/redact-deep.ts";

/** The evidence's facts about its task, besides the journal. */
export interface EvidenceTask {
  readonly id: string;
  readonly title: string;
  readonly userFacing: boolean;
}

/** An event that need not be in the journal yet, and the questions of DECISIONS.md after it. */
export interface PendingEvent {
  readonly event: TaskEvent;
  readonly questions: readonly Question[];
}

/**
 * The evidence as it is, or with one more event. `moved`: how the repo differs from that of `done`. `known`: what spares
 * reading earlier passes.
 */
export function modelEvidence(
  session: TaskSession,
  task: EvidenceTask,
  pending: PendingEvent | null,
  { moved = null, known }: { readonly moved?: Moved | null; readonly known?: KnownFiles } = {},
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
  const questions = pending?.questions ?? readableQuestions(place);
  // The journal is clean already; what a person or an agent named is not.
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
    attested: stands(place.attestation),
  });
}

/** Hardly any name holds a secret, so all of them are searched at once first. */
function cleanRows(rows: readonly ArtifactRow[], redact: (text: string) => string): readonly ArtifactRow[] {
  const names = rows.map(({ path, href }) => `${path}\n${href}\n`).join("");
  if (redact(names) === names) return rows;
  return rows.map((row) => ({ ...row, path: redact(row.path), href: redact(row.href) }));
}

/** A task that no user sees shows no features, so EVIDENCE.md need not be opened for them. */
function shownState(view: StateView, place: TaskPlace, { userFacing }: EvidenceTask): StateView {
  return userFacing ? withFeatures(view, readableEvidence(place)) : view;
}

/**
 * Writes evidence.html and the runner's parts of EVIDENCE.md; all else in that file stays. Returns the files that they
 * show. Their names are durable once `syncs` are made.
 */
export function writeEvidence(session: TaskSession, model: EvidenceModel, syncs: FolderSyncs): PageFiles {
  const { place, ports } = session;
  const title = `# Evidence: ${model.task.id}\n`;
  const redact = (value: string) => ports.redactor.redact(value);
  const files = readPageFiles(place.taskDir, model, redact);
  const parts = renderEvidenceParts(model, files);
  const read = () => {
    const text = readEvidenceText(place);
    return text === null ? null : Buffer.from(text);
  };
  const change = (before: Buffer | null) => redact(setParts(before?.toString() ?? title, parts, place.evidence));
  makeFolder(place.artifacts);
  editFile(place.evidence, read, change, { syncs });
  putFile(place.page, renderEvidencePage(model, files, redact), { syncs });
  return files;
}

/** The text of a pull request about the task; reads what EVIDENCE.md shows, and writes nothing. */
export function describeForReview(session: TaskSession, model: EvidenceModel, evidence: EvidenceAddress): string {
  const redact = (value: string) => session.ports.redactor.redact(value);
  return redact(renderPullRequest(model, readPageFiles(session.place.taskDir, model, redact), evidence));
}

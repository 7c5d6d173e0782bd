import { listArtifacts } from "../evidence/artifacts.ts";
import { buildEvidenceModel, type EvidenceModel } from "../evidence/evidence-model.ts";
import { renderEvidencePage } from "../evidence/evidence-page.ts";
import { renderEvidenceParts } from "../evidence/evidence-parts.ts";
import { readPageFiles } from "../evidence/page-files.ts";
import type { TaskEvent } from "../machine/events.ts";
import type { Moved } from "../machine/standing-done.ts";
import { formatEvent } from "../store/journal.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import type { Question } from "../task-folder/decisions.ts";
import { setParts } from "../task-folder/evidence-file.ts";
import { readState } from "../task-folder/state.ts";
import { cleanEvent } from "./commit-event.ts";
import { lookAtEvidenceText } from "./look.ts";
import { isAnswered, questionsAfter, timelessAsks } from "./open-questions.ts";
import type { TaskSession } from "./session.ts";

/** What the evidence says about its task, beside the journal. */
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

/** The evidence as it is, or with one more event. `moved`: how the repo differs from that of `done`. */
export function modelEvidence(
  session: TaskSession,
  task: EvidenceTask,
  pending: PendingEvent | null,
  moved: Moved | null = null,
): EvidenceModel {
  const { place, journal, ports } = session;
  const next =
    pending === null ? null : formatEvent(journal.head, journal.seq + 1, cleanEvent(pending.event, ports.redactor));
  const events = next === null ? journal.events : [...journal.events, JSON.parse(next.line) as TaskEvent];
  const text = [...events]
    .reverse()
    .map((event) => ("state" in event ? event.state : undefined))
    .find((state) => state !== undefined);
  const state = text === undefined ? null : readState(Buffer.from(text), "STATE.md");
  const redact = (value: string) => ports.redactor.redact(value);
  const questions = pending?.questions ?? questionsAfter(place, []);
  // The journal is clean already; what a person or an agent named is not.
  return buildEvidenceModel({
    task: { id: redact(task.id), title: redact(task.title) },
    userFacing: task.userFacing,
    state: state?.kind === "state" ? state.document.view : null,
    events,
    head: next?.head ?? journal.head,
    artifacts: listArtifacts(place.taskDir).map((row) => ({ ...row, path: redact(row.path), href: redact(row.href) })),
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
  });
}

/** Writes evidence.html and the runner's parts of EVIDENCE.md; all else in that file stays. */
export function writeEvidence(session: TaskSession, model: EvidenceModel): void {
  const { place, ports } = session;
  const title = `# Evidence: ${model.task.id}\n`;
  const text = setParts(lookAtEvidenceText(place) ?? title, renderEvidenceParts(model), place.evidence);
  makeFolder(place.artifacts);
  putFile(place.evidence, ports.redactor.redact(text));
  const redact = (value: string) => ports.redactor.redact(value);
  putFile(place.page, renderEvidencePage(model, readPageFiles(place.taskDir, model, redact), redact));
}

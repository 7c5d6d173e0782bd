import { join } from "node:path";
import { answerQuestion } from "../../documents/answer-question.ts";
import { addToAssumptions, isFirstAssumption } from "../../documents/assumptions.ts";
import type { Question } from "../../documents/decisions.ts";
import { parseTaskFile, readOptionalFile, taskFiles } from "../../documents/read-task-file.ts";
import type { StateDocument } from "../../documents/state.ts";
import { renderTemplate } from "../../documents/templates/render-template.ts";
import type { Phase } from "../../rules/phases.ts";
import type { CommitFile } from "../../task/commit-event.ts";
import { listOpen, type OpenQuestion } from "../../task/open-questions.ts";
import type { TaskSession } from "../../task/session.ts";
import { infoFinding } from "../../text/finding.ts";
import { shorten } from "../../text/shorten.ts";
import { goOnFields, writeState } from "../verdict/write-state.ts";
import { holdsBack } from "./control-file.ts";
import type { TaskAtPrep } from "./reopen.ts";

/**
 * Nobody answered by the deadline: the safe default stands as the runner's words at the Answer in DECISIONS.md, and in
 * ASSUMPTIONS.md for a person to read. One durable event for all that are due. If that closes the last question of
 * needs_user_decision, the task continues in the phase that asked; a default clears no counter, and a stop that the
 * runner made itself is left to `followAnswer`, since it takes a person's answer.
 */
export function takeDefaults(
  session: TaskSession,
  document: StateDocument,
  questions: readonly Question[],
  waitMs: number,
): TaskAtPrep {
  const { place, history, ports } = session;
  const { phase } = document.view;
  const now = ports.now();
  const open = openAt(session, { document, questions }, waitMs, now);
  const due = open.filter((question) => question.due);
  if (due.length === 0) return { document, questions };
  const at = now.toISOString();
  const over = due.length === open.length && phase === "needs_user_decision" && history.stop === null;
  const to = over ? (history.askedFrom ?? phase) : phase;
  const before = readOptionalFile(place.decisions);
  const decisions = withAnswers(before ?? Buffer.alloc(0), place.decisions, due, at);
  const taken = due.map(({ question }) => ({ id: question.id, taken: question.safeDefault }));
  const after = writeState(session, document, {
    at,
    fields: to === phase ? {} : { phase: to, ...goOnFields(history, document) },
    event: (state) => ({ type: "defaulted", at, from: phase, to, questions: taken, state }),
    files: [
      { path: "DECISIONS.md", text: decisions.toString("utf8"), append: false, over: before },
      ...filesOf(session, due, phase, at),
    ],
  });
  for (const { question, takenFrom } of due) {
    const how = session.kind === "preview" ? "will be taken by the next run without --dry-run" : "was taken";
    const message = `nobody answered ${question.id} by ${takenFrom?.toISOString()}; its safe default ${how}: "${shorten(question.safeDefault, 200)}"`;
    session.findings.push(infoFinding("TP_DEFAULT_TAKEN", message, { file: place.decisions }));
  }
  return { document: after, questions: parseTaskFile(taskFiles.decisions, decisions, place.decisions).questions };
}

/** The open questions of a task before a pass. */
export function openAt(
  { place, history }: TaskSession,
  { document: { view }, questions }: TaskAtPrep,
  waitMs: number,
  now: Date,
): OpenQuestion[] {
  const { phase, fields } = view;
  const paused = holdsBack(place) !== null;
  return listOpen({ history, phase, blockers: fields.blockers, questions, paused, waitMs, now });
}

function filesOf(
  { place, history }: TaskSession,
  due: readonly OpenQuestion[],
  phase: Phase,
  at: string,
): CommitFile[] {
  const assumptions = readOptionalFile(join(place.taskDir, "ASSUMPTIONS.md"))?.toString("utf8") ?? null;
  const asking = phase === "needs_user_decision" ? (history.askedFrom ?? phase) : phase;
  const entries = due.map(({ question, takenFrom }) => ({
    id: question.id,
    title: question.title,
    taken: question.safeDefault,
    at,
    phase: asking,
    deadline: takenFrom?.toISOString() ?? "",
  }));
  const added = renderTemplate("ASSUMPTIONS.md", { first: isFirstAssumption(assumptions), entries });
  const ids = due.map(({ question }) => question.id).join(", ");
  return [
    { path: "ASSUMPTIONS.md", text: addToAssumptions(assumptions, added), append: true },
    { path: "log.txt", text: `${at} ${phase} deadline of ${ids} passed: safe default taken\n`, append: true },
  ];
}

/** A default that is long, or that would be read as something else behind `Answer:`, is named instead. */
function withAnswers(before: Buffer, path: string, due: readonly OpenQuestion[], at: string): Buffer {
  return due.reduce((bytes, { question }) => {
    const words = `(safe default, taken by task-phase at ${at}; see ASSUMPTIONS.md)`;
    const short = question.safeDefault.includes("\n") || question.safeDefault.length > 200;
    const answers = [...(short ? [] : [`${question.safeDefault} ${words}`]), `the safe default above ${words}`];
    return Buffer.from(answerQuestion(bytes, question.id, answers, path));
  }, before);
}

import { clearCooldowns } from "../../agents/rotation/model-notes.ts";
import { answerQuestion } from "../../documents/answer-question.ts";
import { goOnTitle, type Question } from "../../documents/decisions.ts";
import { parseTaskFile, readOptionalFile, taskFiles } from "../../documents/read-task-file.ts";
import type { StateDocument } from "../../documents/state.ts";
import { liftsCancel } from "../../rules/move-task.ts";
import { isWorkingPhase, type Phase } from "../../rules/phases.ts";
import { reopenedFields } from "../../rules/runner-fields.ts";
import { retryContinues } from "../../rules/standing.ts";
import type { CommitFile } from "../../task/commit-event.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import { answeredByPerson, isAnswered } from "../../task/open-questions.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { accept, type TaskSession } from "../../task/session.ts";
import { infoFinding } from "../../text/finding.ts";
import { goingOn, goOnFields, type StateChange, writeState } from "../verdict/write-state.ts";

export interface Reopening {
  readonly from: Phase;
  readonly to: Phase;
  readonly reason: string;
  /** What changes with it besides STATE.md. */
  readonly files?: readonly CommitFile[];
}

/** The reason of a person who gave none. */
export const byRetry = "RETRY in CONTROL.md";

/** Reopens a stopped task: removes the runner's Blockers, and counts repairs and retries from zero. */
export function reopenTask(session: TaskSession, document: StateDocument, reopening: Reopening): StateDocument {
  const fields = { phase: reopening.to, ...reopenedFields, ...goOnFields(session.history, document) };
  return writeResumed(session, document, "resumed", reopening, fields);
}

/** The task was cancelled while it worked, and continues there. Gives STATE.md as it is afterwards. */
export function liftCancel(session: TaskSession, document: StateDocument, phase: Phase, reason: string): StateDocument {
  return writeResumed(session, document, "continued", { from: phase, to: phase, reason }, { status: goingOn });
}

function writeResumed(
  session: TaskSession,
  document: StateDocument,
  word: string,
  { from, to, reason, files = [] }: Reopening,
  fields: StateChange["fields"],
): StateDocument {
  const at = session.ports.now().toISOString();
  const text = `${at} ${from} → ${to} ${word} by a person: ${reason.replace(/\s+/g, " ")}\n`;
  return writeState(session, document, {
    at,
    fields,
    event: (state) => ({ type: "resumed", at, from, to, reason, state }),
    files: [{ path: "log.txt", text, append: true }, ...files],
  });
}

/**
 * A person's word that a stopped task continues is the answer to the runner's own question how it should. `files`: to be
 * written with the event that lets the task continue; `questions`: those of DECISIONS.md afterwards.
 */
export function answerStop(place: TaskPlace, questions: readonly Question[], answer: string) {
  const own = questions.filter(({ open, title }) => open && title === goOnTitle);
  if (own.length === 0) return { files: [], questions };
  const over = readOptionalFile(place.decisions);
  const bytes = own.reduce(
    (text, { id }) => Buffer.from(answerQuestion(text, id, [answer, `\`${answer}\``, "continue"], place.decisions)),
    over ?? Buffer.alloc(0),
  );
  return {
    files: [{ path: "DECISIONS.md", text: bytes.toString("utf8"), append: false, over }],
    questions: parseTaskFile(taskFiles.decisions, bytes, place.decisions).questions,
  };
}

/** All questions answered: the task continues in the phase that asked. Else STATE.md as it is. */
export function followAnswer(
  session: TaskSession,
  document: StateDocument,
  questions: readonly Question[],
): StateDocument {
  const { place, history, ports } = session;
  const to = history.askedFrom;
  if (to === null || !isAnswered({ history, phase: document.view.phase, questions })) return document;
  const at = ports.now().toISOString();
  const ids = answeredByPerson({ history, questions }).map(({ id }) => id);
  const after = writeState(session, document, {
    at,
    fields: { phase: to, ...goOnFields(history, document) },
    event: (state) => ({ type: "answered", at, from: "needs_user_decision", to, questions: ids, state }),
  });
  session.findings.push(
    infoFinding("TP_ANSWERED", `every question is answered; the task continues in ${to}`, { file: place.decisions }),
  );
  return after;
}

export interface TaskAtPrep {
  readonly document: StateDocument;
  /** Of DECISIONS.md. */
  readonly questions: readonly Question[];
}

/** True if RETRY has an effect now: on the next pass, or on a task that waits for a person's permission to continue. */
export function isRetryDue({ history }: TaskSession, { document, questions }: TaskAtPrep): boolean {
  const { phase, fields } = document.view;
  const open = questions.filter((question) => question.open).map(({ title }) => ({ ofStop: title === goOnTitle }));
  return isWorkingPhase(phase) || retryContinues({ phase, history, blockers: fields.blockers, questions: open });
}

/**
 * RETRY: failures and timeouts count from zero, the cooldowns of the configured models end, a cancelled task
 * is no longer cancelled, and a stopped one goes on in the phase where it stopped, with its repairs counted anew.
 */
export function obeyRetry(session: TaskSession, { config }: TaskContract, found: TaskAtPrep): TaskAtPrep {
  const { phase } = found.document.view;
  const given = liftsCancel(session.history, phase, phase)
    ? { ...found, document: liftCancel(session, found.document, phase, byRetry) }
    : found;
  const models = config.models.map(({ name }) => name);
  let ended: readonly string[] = [];
  session.write(() => {
    ended = clearCooldowns(session, models);
  });
  const cooled = ended.length === 0 ? "" : `, and the cooldown of ${ended.join(", ")} ended`;
  const detail = `failures and timeouts are counted from zero again${cooled}`;
  const at = session.ports.now().toISOString();
  const { document, questions } = given;
  const answered =
    document.view.phase === "needs_user_decision"
      ? answerStop(session.place, questions, `continue as it is (RETRY in CONTROL.md, ${at})`)
      : { files: [], questions };
  accept(session, {
    event: { type: "controlled", at, command: "RETRY", detail },
    state: null,
    files: answered.files,
  });
  const after = continueStopped(session, { document: given.document, questions: answered.questions });
  const from = given.document.view.phase;
  const to = after.document.view.phase;
  const went = from === to ? "" : `; the task continues in ${to}, where it stopped`;
  session.findings.push(infoFinding("TP_CONTROL", `RETRY: ${detail}${went}`, { file: session.place.control }));
  return after;
}

function continueStopped(session: TaskSession, { document, questions }: TaskAtPrep): TaskAtPrep {
  const followed = followAnswer(session, document, questions);
  const from = followed.view.phase;
  const held = from === "intake" && session.history.stop !== null;
  if (from === "done" || (isWorkingPhase(from) && !held)) return { document: followed, questions };
  const to = held ? from : session.history.stoppedIn;
  // A question about the work itself is open: RETRY only ended the cancellation.
  const asks = from === "needs_user_decision" && questions.some(({ open }) => open);
  if (to === null || asks) return { document: followed, questions };
  return { document: reopenTask(session, followed, { from, to, reason: "RETRY in CONTROL.md" }), questions };
}

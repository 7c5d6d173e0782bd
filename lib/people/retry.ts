import { liftsCancel } from "../machine/move-task.ts";
import { isWorkingPhase } from "../machine/phases.ts";
import { retryContinues } from "../machine/standing.ts";
import { infoFinding } from "../report/finding.ts";
import { clearCooldowns } from "../rotation/model-notes.ts";
import type { TaskContract } from "../task/load-contract.ts";
import { accept, type TaskSession } from "../task/session.ts";
import { goOnTitle, type Question } from "../task-folder/decisions.ts";
import type { StateDocument } from "../task-folder/state.ts";
import { answerStop } from "./answer-stop.ts";
import { followAnswer } from "./follow-answer.ts";
import { liftCancel, reopenTask } from "./reopen.ts";

/** A task as a person's command finds it and leaves it. */
export interface TaskAtPrep {
  readonly document: StateDocument;
  /** Of DECISIONS.md. */
  readonly questions: readonly Question[];
}

/** True if RETRY has an effect now: on the next pass, or on a task that waits for a person's leave to continue. */
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
    ? { ...found, document: liftCancel(session, found.document, phase, "RETRY in CONTROL.md") }
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

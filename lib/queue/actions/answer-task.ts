import { answerQuestion } from "../../documents/answer-question.ts";
import { type ClosedForm, closedForm, wordsOf } from "../../documents/closed-questions.ts";
import type { Question } from "../../documents/decisions.ts";
import { parseTaskFile, readOptionalFile, taskFiles } from "../../documents/read-task-file.ts";
import { stateText } from "../../documents/state.ts";
import { followClosedAnswers } from "../../pass/people/follow-closed-answers.ts";
import { followAnswer } from "../../pass/people/reopen.ts";
import { openRecovered } from "../../pass/recovery/recover.ts";
import { letGoOn } from "../../pass/verdict/hold-back.ts";
import { refreshPages } from "../../pass/verdict/write-evidence.ts";
import { readPlainAnswer } from "../../rules/plain-answer.ts";
import { oneLine } from "../../rules/wording.ts";
import { editFile } from "../../store/put-file.ts";
import { lockTask } from "../../task/locks.ts";
import { listUnfollowed } from "../../task/open-questions.ts";
import { openTask } from "../../task/open-task.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import type { HeldTask } from "../../task/session.ts";
import { TaskPhaseError, usageError } from "../../text/errors.ts";
import { asWarning, errorFinding, infoFinding } from "../../text/finding.ts";
import { nearestWord } from "../../text/nearest.ts";
import { shorten } from "../../text/shorten.ts";

/**
 * Writes a person's answer to an open question of DECISIONS.md; every other byte stays. Under the task's lock, since an
 * answer that is written during a pass counts as the pass's own and is removed. Throws a locked error while one runs. What
 * follows from it is journalled and shown at once, as far as the task can be read. Gives the question, how its answer was
 * read, null if any words answer it, and the ids of the questions that are still open.
 */
export async function answerTask(
  { place, id, text, config }: { place: TaskPlace; id: string; text: string; config: string | null },
  ports: PassPorts,
) {
  const answer = oneLine(text);
  if (answer === "") throw usageError("TP_USAGE_ANSWER", "the answer is empty", { fix: "write the answer in quotes" });
  const locks = lockTask(place, ports);
  try {
    // What a killed pass left is put back first: it would take the answer with it.
    const session = await openRecovered(place, ports, locks);
    const { history } = session;
    const look = (bytes: Buffer | null) => {
      const { questions } = parseTaskFile(taskFiles.decisions, bytes, place.decisions);
      const { phase } = history;
      const free = phase === null ? [] : listUnfollowed({ history, phase, questions });
      const question = requireFree(questions, id, { answer, free }, place);
      const form = closedForm(question);
      return { questions, question, read: form === null ? null : readClosed(form, question, answer, place) };
    };
    let looked = look(readOptionalFile(place.decisions));
    const isNew = () => looked.question.open || looked.question.answer !== answer;
    const write = (bytes: Buffer | null) => {
      looked = look(bytes);
      const before = bytes ?? Buffer.alloc(0);
      return isNew() ? answerQuestion(before, looked.question.id, [answer, `\`${answer}\``], place.decisions) : before;
    };
    if (isNew()) editFile(place.decisions, () => readOptionalFile(place.decisions), write);
    const { questions, question, read } = looked;
    if (!question.open && isNew()) {
      const message = `${question.id} had the answer "${shorten(question.answer)}", from which nothing had followed yet`;
      session.findings.push(infoFinding("TP_ANSWERED", message, { file: place.decisions }));
    }
    showAnswer(session, config);
    const open = questions.filter((other) => other.open && other.id !== question.id).map((other) => other.id);
    return { question, read, open, findings: session.findings };
  } finally {
    locks.release();
  }
}

/** The next run takes what is left: an edit of STATE.md as well, or a task that cannot be read. */
function showAnswer(session: HeldTask, config: string | null): void {
  const { place, ports, history } = session;
  try {
    const task = openTask(place, config, ports);
    if (history.state === null) return;
    if (stateText(task.state) === history.state) {
      followClosedAnswers(session, task.questions);
      const document = followAnswer(session, task.state, task.questions);
      const isOver = session.history.held?.standing === "asks" && task.questions.every(({ open }) => !open);
      if (isOver) letGoOn(session, document);
    }
    refreshPages(session, task);
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    session.findings.push(...error.findings.map(asWarning));
  }
}

/** Refused before anything is written: a guess would cost passes, or end the task. */
function readClosed(form: ClosedForm, { id, line }: Question, answer: string, { decisions }: TaskPlace) {
  const as = readPlainAnswer(answer);
  if (as !== null) return { as, means: form[as].means };
  throw usageError("TP_ANSWER_UNCLEAR", `"${shorten(answer)}" is neither a plain yes nor a plain no to ${id}`, {
    file: decisions,
    line,
    fix: `answer ${wordsOf(form)}`,
  });
}

/** Or one that has this answer already, which a call wrote that was killed before it followed it. `free`: whatever they say. */
function requireFree(
  questions: readonly Question[],
  id: string,
  { answer, free }: { readonly answer: string; readonly free: readonly Question[] },
  { decisions }: TaskPlace,
): Question {
  const ids = questions.map((question) => question.id);
  const question = questions.find((each) => each.id.toLowerCase() === id.toLowerCase());
  const open = questions.filter((each) => each.open).map((each) => each.id);
  const isOpen = open.length === 0 ? "no question is open" : `open: ${open.join(", ")}`;
  if (question === undefined) {
    const nearest = nearestWord(id, ids);
    throw usageError("TP_ANSWER_QUESTION", `there is no question ${shorten(id)}; ${isOpen}`, {
      file: decisions,
      fix: nearest === null ? "task-phase status lists the questions" : `did you mean ${nearest}?`,
    });
  }
  if (question.open || free.includes(question) || question.answer === answer) return question;
  const message = `${question.id} has an answer: ${shorten(question.answer)}; ${isOpen}`;
  const place = { file: decisions, line: question.line, fix: "change the answer in DECISIONS.md by hand" };
  throw new TaskPhaseError("rejected", [errorFinding("TP_ANSWER_QUESTION", message, place)]);
}

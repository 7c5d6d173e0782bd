import type { TaskPlace } from "../anchor/task-place.ts";
import type { CommitFile } from "../task/commit-event.ts";
import { answerQuestion } from "../task-folder/answer-question.ts";
import { goOnTitle, type Question } from "../task-folder/decisions.ts";
import { parseTaskFile, readOptionalFile, taskFiles } from "../task-folder/task-files.ts";

export interface StopAnswered {
  /** To be written with the event that lets the task continue; none if nothing was asked. */
  readonly files: readonly CommitFile[];
  /** Of DECISIONS.md afterwards. */
  readonly questions: readonly Question[];
}

/** A person's word that a stopped task continues is the answer to the runner's own question how it should. */
export function answerStop(place: TaskPlace, questions: readonly Question[], answer: string): StopAnswered {
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

import { answerTask } from "../queue/actions/answer-task.ts";
import { updateBoard } from "../queue/loop/update-board.ts";
import { inspectTask } from "../queue/views/inspect-root.ts";
import type { AnswerKeys } from "../rules/shapes/reports/people.ts";
import { isRunnable } from "../rules/standing.ts";
import { locateTask } from "../task/records/task-place.ts";
import { usageError } from "../text/errors.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { presentTask, taskByName } from "./target.ts";

const questionId = /^q\d{1,9}$/i;

/** `answer TASK Q1 TEXT`: a person's answer. The task may be left out where it is the only one, or the present one. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { task: named, id, text } = readWords(context);
  const place = locateTask(named === null ? presentTask(context.cwd) : taskByName(context.cwd, named), context.cwd);
  const ports = makePorts(context);
  const config = context.flags.text("config");
  const { question, read, open, findings } = await answerTask({ place, id, text, config }, ports);
  const task = inspectTask(place, config, ports);
  await updateBoard(place.tasksRoot, [task], { config, repo: null }, ports);
  const goesOn = isRunnable(task) ? "the next run continues" : `the task is ${task.standing}: ${task.why}`;
  const left = open.length === 0 ? goesOn : `still open: ${open.join(", ")}`;
  return {
    exitName: "ok",
    json: {
      task_dir: place.taskDir,
      question: question.id,
      title: question.title,
      read: read?.as ?? null,
      open,
    } satisfies AnswerKeys,
    story: [
      `answered ${question.id}: ${question.title}`,
      ...(read === null ? [] : [`read as ${read.as}: ${read.means}`]),
      left,
    ],
    answer: [],
    findings,
  };
}

function readWords({ flags }: CommandContext): { task: string | null; id: string; text: string } {
  const [task, question, text] = [flags.text("task-dir"), flags.text("question"), flags.text("text")];
  // `answer Q1 TEXT`: the first word is the question.
  if (task !== null && text === null && question !== null && questionId.test(task) && !questionId.test(question))
    return { task: null, id: task, text: question };
  if (question !== null && text !== null) return { task, id: question, text };
  const message = `the ${question === null ? "question and the answer are" : "answer is"} missing`;
  throw usageError("TP_USAGE_ANSWER", message, { fix: "write task-phase answer TASK Q1 'the answer'" });
}

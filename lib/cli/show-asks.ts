import { showShort } from "../documents/templates/visible.ts";
import { locateDecisions } from "../pass/checkpoint/hosted.ts";
import type { InspectedTask } from "../queue/views/inspect-task.ts";
import type { OpenAsk } from "../rules/standing-facts.ts";
import type { CommandContext } from "./command.ts";
import { type Line, paint } from "./paint.ts";
import { show } from "./write-lines.ts";

/** A task, and where a browser edits its DECISIONS.md; null if that is not known. */
export type AskingTask = Pick<InspectedTask, "id" | "place" | "asked"> & {
  readonly editUrl: string | null;
  /** The branch and the folder that it was read from; missing: a folder on this disk. */
  readonly readFrom?: string;
  /** It asks on its branch, and no file of a person's working tree has the question. */
  readonly onBranch?: boolean;
};

/** More than these are only counted. */
export const shownAsks = 10;

/** The address of each task's editor page. Git is asked only if one of the tasks asks a question. */
export async function findEditors(
  tasks: readonly InspectedTask[],
  { env }: Pick<CommandContext, "env">,
): Promise<(task: InspectedTask) => string | null> {
  const asking = tasks.flatMap(({ place, contract, asked, hasGit }) =>
    asked.length === 0 || contract === null ? [] : [{ place, config: contract.config, hasGit }],
  );
  const editors = await locateDecisions(asking, { env });
  return ({ place }) => editors.get(place.taskDir) ?? null;
}

export function countAsks(tasks: readonly Pick<InspectedTask, "asked">[]): number {
  return tasks.reduce((sum, { asked }) => sum + asked.length, 0);
}

/** The open questions, with answers, deadline and place. `count`: of all tasks, if these are only the first. */
export function showAsks(tasks: readonly AskingTask[], cwd: string, count = countAsks(tasks)): Line[] {
  const asks = tasks.flatMap((task) => task.asked.map((ask) => ({ task, ask })));
  const more = count - shownAsks;
  return [
    ...asks.slice(0, shownAsks).flatMap(({ task, ask }) => renderAsk(task, ask, cwd)),
    ...(more > 0 ? [`and ${more} more; task-phase status TASK shows the questions of one task`] : []),
  ];
}

/** The questions that a call left open, where `asks` says that there are some. */
export async function asksLeft(
  asks: boolean,
  tasks: () => readonly InspectedTask[],
  context: CommandContext,
): Promise<Line[]> {
  if (!asks) return [];
  const left = tasks();
  const editorOf = await findEditors(left, context);
  return showAsks(
    left.map((task) => ({ ...task, editUrl: editorOf(task), onBranch: isOnBranch(context, task) })),
    context.cwd,
  );
}

/** A call that was made for a task on its branch, or one that knows which tasks are newer there. */
export function isOnBranch({ view, ahead }: CommandContext, { place }: Pick<InspectedTask, "place">): boolean {
  return ahead !== undefined || view?.has(place.name) === true;
}

function renderAsk({ id, place, editUrl, readFrom, onBranch }: AskingTask, ask: OpenAsk, cwd: string): Line[] {
  const name = id ?? place.name;
  const file = `${show({ cwd }, place.taskDir)}/${ask.place}`;
  const title = ask.title === "" ? ask.question : ask.title;
  const more = ask.question === title ? "" : showShort(ask.question, 600);
  return [
    [paint("heading", `${name} asks ${ask.id}: ${showShort(title, 200)}`)],
    ...(more === "" ? [] : [`  ${more}`]),
    ...(ask.options === "" ? [] : [`  options: ${showShort(ask.options, 300)}`]),
    ...(ask.safeDefault === "" ? [] : [`  safe default: ${showShort(ask.safeDefault, 200)}`]),
    ...(ask.end === "" ? [] : [`  ${ask.end}`]),
    ...(readFrom === undefined
      ? [
          `  answer: task-phase answer ${name} ${ask.id} TEXT`,
          ...(onBranch === true ? [] : [`  or write it after "Answer:" in ${file}`]),
        ]
      : [`  answer: in ${readFrom}/${ask.place}, and push it`]),
    ...(editUrl === null ? [] : [`  or edit ${editUrl}`]),
  ];
}

import { countStandings, summarise } from "../board/standings.ts";
import { worstExit } from "../loop/choose-next.ts";
import { writeBoard } from "../loop/write-board.ts";
import { phaseNames } from "../machine/phases.ts";
import { distinctFindings, type Finding, warningFinding } from "../report/finding.ts";
import type { BoardKeys } from "../shapes/reports/board.ts";
import { shorten } from "../text/shorten.ts";
import type { InspectedTask } from "../upkeep/inspect-task.ts";
import { watchRepos } from "../upkeep/watch-repos.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { chooseRoot } from "./target.ts";

/** `board`: writes BOARD.md and index.html of a tasks root. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { flags } = context;
  const { markdown, page, tasks, changed } = await writeBoard(
    chooseRoot(context),
    flags.text("config"),
    makePorts(context),
  );
  const summary = summarise(tasks);
  return {
    exitName: worstExit(tasks) ?? "ok",
    json: {
      board: { markdown, page },
      tasks: tasks.length,
      by_standing: Object.fromEntries(countStandings(tasks).map(({ standing, count }) => [standing, count])),
      by_phase: countPhases(tasks),
      changed,
    } satisfies BoardKeys,
    story: [changed ? `wrote the board: ${summary}` : `nothing has changed; the board is up to date: ${summary}`],
    answer: [markdown, page],
    findings: distinctFindings([...tasks.flatMap((task) => task.findings), ...warnInRepo(tasks, markdown, context)]),
  };
}

function countPhases(tasks: readonly InspectedTask[]): Record<string, number> {
  const counts = phaseNames.map((phase) => [phase, tasks.filter((task) => task.phase === phase).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** If the tasks root is a repo itself, what the board writes is a change of that repo's code. */
function warnInRepo(tasks: readonly InspectedTask[], markdown: string, context: CommandContext): Finding[] {
  // A run says so where none is found; for the board it means that nothing here is that task's code.
  const repoOf = watchRepos(context);
  const inside = tasks.filter((task) => repoOf(task) === task.place.tasksRoot);
  const [first] = inside;
  if (first === undefined) return [];
  const others = inside.length === 1 ? "" : ` and ${inside.length - 1} more`;
  const message = `the tasks root is itself the repo of ${shorten(first.id ?? first.place.name)}${others}, so BOARD.md and index.html count as code there: writing them invalidates checks and reviews of that code`;
  const fix = "keep the task folders in a separate folder, such as tasks/, or write no board here";
  return [warningFinding("TP_BOARD_IN_REPO", message, { file: markdown, fix })];
}

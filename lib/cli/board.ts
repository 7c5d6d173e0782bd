import { countStandings, summarise } from "../board/standings.ts";
import { worstExit } from "../loop/choose-next.ts";
import { writeBoard } from "../loop/write-board.ts";
import { type Phase, phaseNames } from "../machine/phases.ts";
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
  const tally = openTally(context);
  const { markdown, page, tasks, changed } = await writeBoard(
    chooseRoot(context),
    flags.text("config"),
    makePorts(context),
    tally.add,
  );
  const summary = summarise(tasks);
  const phases = phaseNames.flatMap((phase) => {
    const count = tally.phases.get(phase);
    return count === undefined ? [] : [[phase, count] as const];
  });
  return {
    exitName: worstExit([...tally.exits].map((unreadable) => ({ unreadable }))) ?? "ok",
    json: {
      board: { markdown, page },
      tasks: tasks.length,
      by_standing: Object.fromEntries(countStandings(tasks).map(({ standing, count }) => [standing, count])),
      by_phase: Object.fromEntries(phases),
      changed,
    } satisfies BoardKeys,
    story: [changed ? `wrote the board: ${summary}` : `nothing has changed; the board is up to date: ${summary}`],
    answer: [markdown, page],
    findings: distinctFindings([...tally.findings, ...warnInRepo(tally.inRepo, markdown)]),
  };
}

/** Adds up what is said of all tasks, as they come by. */
function openTally(context: CommandContext) {
  // A run says so where none is found; for the board it means that nothing here is that task's code.
  const repoOf = watchRepos(context);
  const phases = new Map<Phase, number>();
  const exits = new Set<InspectedTask["unreadable"]>();
  const findings = new Set<Finding>();
  /** The names of the tasks whose code is in the tasks root itself. */
  const inRepo: string[] = [];
  const add = (task: InspectedTask) => {
    if (task.phase !== null) phases.set(task.phase, (phases.get(task.phase) ?? 0) + 1);
    exits.add(task.unreadable);
    for (const finding of task.findings) findings.add(finding);
    if (repoOf(task) === task.place.tasksRoot) inRepo.push(task.id ?? task.place.name);
  };
  return { phases, exits, findings, inRepo, add };
}

/** If the tasks root is a repo itself, what the board writes is a change of that repo's code. */
function warnInRepo(inside: readonly string[], markdown: string): Finding[] {
  const [first] = inside;
  if (first === undefined) return [];
  const others = inside.length === 1 ? "" : ` and ${inside.length - 1} more`;
  const message = `the tasks root is itself the repo of ${shorten(first)}${others}, so BOARD.md and index.html count as code there: writing them invalidates checks and reviews of that code`;
  const fix = "keep the task folders in a separate folder, such as tasks/, or write no board here";
  return [warningFinding("TP_BOARD_IN_REPO", message, { file: markdown, fix })];
}

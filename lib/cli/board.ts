import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { GitPlace } from "../git/place.ts";
import { countStandings, summarise } from "../pages/board/standings.ts";
import { worstExit } from "../queue/loop/select-task.ts";
import { writeBoard, writeBoardOf } from "../queue/loop/write-board.ts";
import { watchRepos } from "../queue/views/hindrance.ts";
import type { InspectedTask } from "../queue/views/inspect-task.ts";
import { type Phase, phaseNames } from "../rules/phases.ts";
import type { BoardKeys } from "../rules/shapes/reports/board.ts";
import { makeFolder } from "../store/folder.ts";
import { usageError } from "../text/errors.ts";
import { distinctFindings, type Finding, warningFinding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { chooseRepository, readBranches } from "./read-branches.ts";
import { chooseRoot } from "./target.ts";

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { flags } = context;
  const tally = openTally(context);
  const ports = makePorts(context);
  const repository = chooseRepository(context);
  const out = chooseOut(context);
  const { markdown, page, tasks, changed } =
    repository === null || out === null
      ? await writeBoard(chooseRoot(context), flags.text("config"), ports, tally.add)
      : await writeBoardOf(await readTasks(repository, context), openOut(out, repository), ports, tally.add);
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

/** Where the files go with --git, which has no folder for them; null without it. Throws a usage error. */
function chooseOut({ flags, cwd }: CommandContext): string | null {
  const [out, git] = [flags.text("out"), flags.text("git")];
  if (git === null && out !== null)
    throw usageError("TP_USAGE_OUT", "--out is only for --git: the board of a tasks root is written into that folder", {
      fix: "omit --out, or name a repository with --git",
    });
  if (git !== null && out === null)
    throw usageError("TP_USAGE_OUT", "--git needs --out: a repository has no folder for the board", {
      fix: "add --out FOLDER: BOARD.md and index.html are written there",
    });
  return out === null ? null : path.resolve(cwd, out);
}

/** Links of a board lead to files beside it, and there are none; nor is there a repo that may have moved. */
async function readTasks(repository: GitPlace, context: CommandContext) {
  const { tasks } = await readBranches(repository, context);
  const without = { contract: null, hasPage: false, hasState: false, hasEvidence: false, hasDecisions: false };
  return tasks.map((task) => ({ ...task, ...without }));
}

/** The folder, made if nothing is there. */
function openOut(folder: string, { top }: GitPlace) {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() === false)
    throw usageError("TP_USAGE_OUT", "--out is not a folder", { file: folder, fix: "name a folder for the two files" });
  if (stats === undefined) makeFolder(folder);
  return { folder: realpathSync(folder), name: path.basename(top).replace(/\.git$/, "") };
}

/** Adds up the facts of all tasks, as they are read. */
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
  const fix = "keep the task folders in a separate folder, such as tasks/, or do not write a board here";
  return [warningFinding("TP_BOARD_IN_REPO", message, { file: markdown, fix })];
}

import { listRoot } from "../loop/select-task.ts";
import { checkTask } from "../pass/check-task.ts";
import { listOnce } from "../pass/dependencies.ts";
import { locateTask, type TaskPlace } from "../pass/task-place.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { distinctFindings, type Finding, hasErrors } from "../report/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { chooseTarget } from "./target.ts";

/** `check`: judges task files, journal and recorded verdicts, and changes nothing. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const target = chooseTarget(context);
  const places: TaskPlace[] =
    target.kind === "task" ? [locateTask(target.taskDir, context.cwd)] : listRoot(target.tasksRoot);
  const listed = places[0] === undefined ? undefined : listOnce(places[0].tasksRoot);
  const found: Finding[] = [];
  const exits: ExitName[] = [];
  const tasks: Record<string, unknown>[] = [];
  const answer: string[] = [];
  for (const place of places) {
    const { flags } = context;
    const report = await checkTask(place, flags.text("config"), flags.text("repo"), makePorts(context), listed);
    const ok = !hasErrors(report.findings);
    found.push(...report.findings);
    exits.push(...report.exits);
    tasks.push({ folder: place.taskDir, ok, verdicts: report.verdicts });
    answer.push(
      `${place.name}: ${ok ? "nothing is wrong" : "wrong"}, ${report.verdicts} ${report.verdicts === 1 ? "verdict" : "verdicts"} decided again`,
    );
  }
  const findings = distinctFindings(found);
  return { exitName: worstOf(exits), json: { ok: !hasErrors(findings), tasks }, story: [], answer, findings };
}

/** Files that cannot be read weigh most, then verdicts and edits that do not hold, then a wrong contract. */
function worstOf(exits: readonly ExitName[]): ExitName {
  return (["failure", "data", "rejected"] as const).find((name) => exits.includes(name)) ?? exits[0] ?? "ok";
}

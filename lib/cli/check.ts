import { inspectRoot } from "../loop/select-task.ts";
import { checkTask } from "../pass/check-task.ts";
import { locateTask, type TaskPlace } from "../pass/task-place.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { type Finding, hasErrors } from "../report/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { chooseTarget } from "./target.ts";

/** `check`: judges task files, journal and recorded verdicts, and changes nothing. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const target = chooseTarget(context);
  const places: TaskPlace[] =
    target.kind === "task"
      ? [locateTask(target.taskDir, context.cwd)]
      : inspectRoot(target.tasksRoot, context).map((task) => task.place);
  const findings: Finding[] = [];
  const tasks: Record<string, unknown>[] = [];
  const answer: string[] = [];
  for (const place of places) {
    const report = await checkTask(place, context.flags.text("config"), null, makePorts(context));
    const ok = !hasErrors(report.findings);
    findings.push(...report.findings);
    tasks.push({ folder: place.taskDir, ok, verdicts: report.verdicts });
    answer.push(`${place.name}: ${ok ? "nothing is wrong" : "wrong"}, ${report.verdicts} verdicts decided again`);
  }
  return { exitName: exitFor(findings), json: { ok: !hasErrors(findings), tasks }, story: [], answer, findings };
}

const judged = new Set([
  "TP_VERDICT_DIFFERS",
  "TP_RECORD_CHANGED",
  "TP_RECORD_MISSING",
  "TP_RECORD_UNREADABLE",
  "TP_EDIT_REFUSED",
  "TP_PROOF_MISSING",
]);

/** Files that cannot be read weigh most, then verdicts and edits that do not hold, then a wrong contract. */
function exitFor(findings: readonly Finding[]): ExitName {
  const codes = findings.filter((finding) => finding.severity === "error").map((finding) => finding.code);
  if (codes.length === 0) return "ok";
  if (codes.some((code) => /^TP_(JOURNAL|STATE|TASK_FILE|NO_JOURNAL|STEPS|DECISIONS|TEXT)/.test(code))) return "data";
  return codes.some((code) => judged.has(code)) ? "rejected" : "config";
}

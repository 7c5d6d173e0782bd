import { chooseNext, inspectRoot, worstExit } from "../loop/select-task.ts";
import { type InspectedTask, inspectTask } from "../pass/inspect-task.ts";
import { locateTask, stands } from "../pass/task-place.ts";
import { distinctFindings } from "../report/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { chooseTarget } from "./target.ts";

/** `status`: where each task stands, read without a lock. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const target = chooseTarget(context);
  if (target.kind === "task") {
    const task = inspectTask(locateTask(target.taskDir, context.cwd), context.flags.text("config"), context);
    return {
      exitName: worstExit([task]) ?? "ok",
      json: describe(task),
      story: [],
      answer: showTask(task),
      findings: task.findings,
    };
  }
  const tasks = inspectRoot(target.tasksRoot, context.flags.text("config"), context);
  const next = chooseNext(tasks);
  return {
    exitName: worstExit(tasks) ?? "ok",
    json: { tasks: tasks.map(describe), next: next?.id ?? next?.place.name ?? null, next_eligible_at: null },
    story: [],
    answer:
      tasks.length === 0
        ? [`no task folder in ${target.tasksRoot}`]
        : [...showTable(tasks), next === null ? "next: nothing is runnable" : `next: ${next.id}`],
    findings: distinctFindings(tasks.flatMap((task) => task.findings)),
  };
}

function describe(task: InspectedTask): Record<string, unknown> {
  const { history, place } = task;
  const last = history.lastVerdict;
  return {
    task: task.id,
    title: task.title,
    folder: place.taskDir,
    priority: task.priority,
    phase: task.phase,
    standing: task.standing,
    why: task.why,
    last_verdict:
      last === null
        ? null
        : { pass: last.pass, verdict: last.verdict, from: last.from, to: last.to, reason: last.reason, at: last.at },
    passes: history.counts.passes,
    repairs: history.counts.repairs,
    spent_usd: history.spentUsd,
    blockers: task.state?.fields.blockers ?? null,
    waits_for: task.waitsFor,
    open_questions: task.openQuestions,
    tickets: history.tickets,
    evidence: { path: stands(place.page) ? place.page : null, url: null },
    next_eligible_at: null,
  };
}

function showTask(task: InspectedTask): string[] {
  const { history } = task;
  const last = history.lastVerdict;
  return [
    `${task.id ?? task.place.name}  ${task.title ?? ""}`.trimEnd(),
    `phase: ${task.phase ?? "unknown"}`,
    `standing: ${task.standing}, ${task.why}`,
    `passes: ${history.counts.passes}, repairs: ${history.counts.repairs}, spent: ${history.spentUsd === null ? "unknown" : `${history.spentUsd.toFixed(2)} USD`}`,
    ...(last === null ? [] : [`last verdict: pass ${last.pass} ${last.verdict}, ${last.reason}`]),
    ...history.tickets.map((ticket) => `ticket ${ticket.id}: ${ticket.text.split("\n")[0] ?? ""}`),
  ];
}

function showTable(tasks: readonly InspectedTask[]): string[] {
  const rows = tasks.map((task) => [task.id ?? task.place.name, task.phase ?? "-", task.standing, task.why]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row.map((cell, column) => (column < 3 ? cell.padEnd(widths[column] ?? 0) : cell)).join("  "),
  );
}

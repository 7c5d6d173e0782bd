import { locateTask, stands } from "../anchor/task-place.ts";
import { locateEvidence } from "../keep/hosted.ts";
import { isLoopRunning } from "../loop/loop-lock.ts";
import { newestRun, type RunOfRoot } from "../loop/newest-run.ts";
import { chooseNext, earliestEligible, inspectRoot, worstExit } from "../loop/select-task.ts";
import { whyOf } from "../machine/made.ts";
import { dollars, type Spend } from "../machine/spend.ts";
import type { Moved } from "../machine/standing-facts.ts";
import { isUnblocked } from "../machine/state-view.ts";
import type { VerdictEvent } from "../machine/verdict-event.ts";
import { distinctFindings } from "../report/finding.ts";
import type { RootStatus, TaskStatus } from "../shapes/reports/status.ts";
import type { EvidenceUrl } from "../task/request.ts";
import { watchHindrances } from "../upkeep/hindrance.ts";
import type { CooldownView } from "../upkeep/inspect-cooldowns.ts";
import { type InspectedTask, inspectTask, withFacts } from "../upkeep/inspect-task.ts";
import { watchMoved } from "../upkeep/moved-since.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { showAct } from "./next-act.ts";
import { type Line, paint, toneStyles, verdictStyles } from "./paint.ts";
import { type AskingTask, showAsks, withEditors } from "./show-asks.ts";
import { describeEvidence, evidenceJson } from "./show-pass.ts";
import { chooseTarget } from "./target.ts";

interface ShownTask extends AskingTask {
  /** Where its evidence opens in a browser. */
  readonly evidenceUrl: EvidenceUrl | null;
}

/** `status`: the state of each task, read without a lock. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const target = chooseTarget(context);
  if (target.kind === "task") {
    const found = inspectTask(locateTask(target.taskDir, context.cwd), context.flags.text("config"), context);
    const tasks = await toShow([found], context);
    return {
      exitName: worstExit(tasks) ?? "ok",
      json: tasks.map(describe)[0] ?? {},
      story: [],
      answer: [...tasks.flatMap((task) => showTask(task, context.cwd)), ...showAsks(tasks, context.cwd)],
      findings: found.findings,
    };
  }
  const tasks = await toShow(inspectRoot(target.tasksRoot, context.flags.text("config"), context), context);
  const next = nextOf(tasks);
  const run = newestRun(tasks);
  // They are those of the tasks root; a task that cannot be read knows of none.
  const cooldowns = tasks.map((task) => task.models.cooldowns).find((list) => list.length > 0) ?? [];
  return {
    exitName: worstExit(tasks) ?? "ok",
    json: {
      run_id: run?.id ?? null,
      iteration: run?.passes ?? null,
      loop_running: isLoopRunning({ kind: "root", tasksRoot: target.tasksRoot }),
      tasks: tasks.map(describe),
      next: next?.id ?? next?.place.name ?? null,
      cooldowns,
      next_eligible_at: next === null ? earliestEligible(tasks) : next.until,
    } satisfies RootStatus,
    story: [],
    answer:
      tasks.length === 0
        ? [`no task folder in ${target.tasksRoot}`]
        : [
            ...showTable(tasks),
            ...cooldowns.map(showCooldown),
            ...showRun(run),
            ...showAsks(tasks, context.cwd),
            showNext(next, tasks),
          ],
    findings: distinctFindings(tasks.flatMap((task) => task.findings)),
  };
}

/** The tasks with all that is found out about them besides their own files. */
export async function toShow(tasks: readonly InspectedTask[], context: CommandContext): Promise<ShownTask[]> {
  const hindranceOf = watchHindrances(context);
  const located = await locateEvidence(
    tasks.flatMap(({ place, contract }) => (contract === null ? [] : [{ place, config: contract.config }])),
    context,
  );
  const movedOf = watchMoved(context);
  const shown = await withEditors(tasks, context);
  return await Promise.all(
    shown.map(async (task) => ({
      ...withFacts(task, { hindered: hindranceOf(task), moved: await movedOf(task) }),
      evidenceUrl: located.get(task.place.taskDir)?.link ?? null,
    })),
  );
}

/** The first that a run would work on; if every one is hindered, the first of these. */
function nextOf(tasks: readonly ShownTask[]): ShownTask | null {
  return chooseNext(tasks.filter(({ facts }) => facts.hindered === null)) ?? chooseNext(tasks);
}

/** One task in the JSON object. */
export function describe(task: ShownTask): TaskStatus {
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
    who: task.who,
    moved_since: describeMoved(task.facts.moved),
    last_verdict:
      last === null
        ? null
        : { pass: last.pass, verdict: last.verdict, from: last.from, to: last.to, reason: last.reason, at: last.at },
    passes: history.counts.passes,
    repairs: history.counts.repairs,
    spent_usd: history.spend.knownUsd,
    charged_usd: history.spend.chargedUsd,
    unknown_costs: history.spend.unknownPasses,
    spent_tokens: history.spend.tokens,
    spent_ms: history.spend.timeMs,
    degraded: history.degrade,
    blockers: task.state?.fields.blockers ?? null,
    waits_for: task.waitsFor,
    open_questions: task.asked.map(({ id }) => id),
    questions: task.asked.map((ask) => ({
      id: ask.id,
      title: ask.title,
      question: ask.question,
      options: ask.options,
      safe_default: ask.safeDefault,
      default_at: ask.takenFrom,
      place: ask.place,
      edit_url: task.editUrl,
    })),
    tickets: history.tickets,
    run: history.run === null ? null : { id: history.run.id, passes: history.run.passes, last_pass_at: history.run.at },
    evidence: evidenceJson(stands(place.page) ? place.page : null, task.evidenceUrl),
    cooldowns: task.models.cooldowns,
    hindered: task.facts.hindered?.why ?? null,
    next_eligible_at: task.until,
  };
}

function describeMoved(moved: Moved | null): TaskStatus["moved_since"] {
  if (moved === null || moved.kind === "unseen") return null;
  return moved.kind === "paths" ? { paths: moved.count, reason: null } : { paths: null, reason: moved.reason };
}

function showRun(run: RunOfRoot | null): string[] {
  if (run === null) return [];
  return [`newest loop: ${run.id}, ${run.passes} ${run.passes === 1 ? "pass" : "passes"}, the last started ${run.at}`];
}

function showNext(next: ShownTask | null, tasks: readonly ShownTask[]): string {
  if (next === null) return `next: nothing is runnable${showAct(tasks)}`;
  const { id, facts, until } = next;
  if (facts.hindered !== null) return `next: ${id}, but ${facts.hindered.why}`;
  return `next: ${id}${until === null ? "" : `, not before ${until}: every model is cooling down`}`;
}

function showCooldown({ model, until, reason }: CooldownView): string {
  return `cooling down: ${model} until ${until}, ${reason}`;
}

/** One task for people. */
export function showTask(task: ShownTask, cwd: string): Line[] {
  const { history, place } = task;
  const last = history.lastVerdict;
  return [
    [paint("heading", `${task.id ?? task.place.name}  ${task.title ?? ""}`.trimEnd())],
    `phase: ${task.phase ?? "unknown"}`,
    ["standing: ", paint(toneStyles[task.tone], task.standing), `, ${shownWhy(task)}`],
    ...showBlockers(task),
    `passes: ${history.counts.passes}, repairs: ${history.counts.repairs}, spent: ${showSpend(history.spend)}`,
    ...(last === null ? [] : [showVerdict(last)]),
    ...history.tickets.map((ticket) => `ticket ${ticket.id}: ${ticket.text.split("\n")[0] ?? ""}`),
    ...task.models.cooldowns.map(showCooldown),
    ...(stands(place.page) ? [describeEvidence(place.page, task.evidenceUrl, cwd)] : []),
    ...showEligible(task),
  ];
}

function showVerdict(last: VerdictEvent): Line {
  const why = whyOf(last);
  return [
    `last verdict: pass ${last.pass} ${last.from} → ${last.to} `,
    paint(verdictStyles[last.verdict], last.verdict),
    why === "" ? "" : `, ${why}`,
  ];
}

/** The full text of a stop, which the standing shortens. */
function showBlockers({ standing, state, why }: ShownTask): string[] {
  const blockers = state?.fields.blockers ?? "";
  const isStop = standing === "stuck" || standing === "blocked";
  return isStop && !isUnblocked(blockers) && blockers !== why ? [`blockers: ${blockers}`] : [];
}

function showEligible({ until, standing, facts }: ShownTask): string[] {
  if (until === null) return [];
  if (facts.hindered !== null) return [`next pass: not before ${until}: ${facts.hindered.why}`];
  return [
    `next pass: not before ${until}: ${standing === "asks" ? "then a safe default is taken" : "every model is cooling down"}`,
  ];
}

function showSpend({ knownUsd, unknownPasses }: Spend): string {
  const unknown =
    unknownPasses === 0 ? "" : `${unknownPasses} ${unknownPasses === 1 ? "pass" : "passes"} of unknown cost`;
  if (knownUsd === null) return unknown === "" ? "nothing yet" : `unknown (${unknown})`;
  return `${dollars(knownUsd)}${unknown === "" ? "" : `, and ${unknown}`}`;
}

/** What is open is shown whole below. */
function shownWhy({ standing, asked, brief, why }: InspectedTask): string {
  return standing === "asks" && asked.length > 0 ? brief : why;
}

function showTable(tasks: readonly InspectedTask[]): Line[] {
  const rows = tasks.map(
    (task) => [task.id ?? task.place.name, task.phase ?? "-", task.standing, shownWhy(task)] as const,
  );
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map(([id, phase, standing, why], row) => [
    `${id.padEnd(widths[0] ?? 0)}  ${phase.padEnd(widths[1] ?? 0)}  `,
    paint(toneStyles[tasks[row]?.tone ?? "quiet"], standing),
    `${" ".repeat((widths[2] ?? 0) - standing.length)}  ${why}`,
  ]);
}

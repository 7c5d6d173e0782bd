import { dirname } from "node:path";
import { relativeHref } from "../../documents/templates/relative-href.ts";
import { renderTemplate } from "../../documents/templates/render-template.ts";
import { showShort } from "../../documents/templates/visible.ts";
import { formatMinute, formatSpend } from "../../pages/board/standings.ts";
import { verdictAndWhy } from "../../rules/made.ts";
import { lacksProof } from "../../rules/matrix.ts";
import { isWorkingPhase } from "../../rules/phases.ts";
import { resumeLine } from "../../rules/resume-line.ts";
import { statusOf } from "../../rules/standing.ts";
import type { Standing } from "../../rules/standing-facts.ts";
import { type RunUsage, sumSpend } from "../../rules/usage.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { passFolder, stands } from "../../task/records/task-place.ts";
import { formatDuration } from "../../text/duration.ts";
import { type ExitName, exitCodes } from "../../text/exit-codes.ts";
import { msBetween } from "../../text/moment.ts";
import { redactDeep } from "../../text/redact.ts";
import { quoteWord } from "../../text/shell-words.ts";
import type { InspectedTask } from "../views/inspect-task.ts";

export interface WorkedTask extends RunUsage {
  readonly task: InspectedTask;
}

export interface RunFacts {
  readonly id: string;
  readonly began: Date;
  readonly now: Date;
  /** Null while it is running. */
  readonly ending: { readonly exitName: ExitName; readonly reason: string } | null;
  /** The tasks that it worked on, in the order in which it first did. */
  readonly worked: readonly WorkedTask[];
}

/** A summary in a few words, for people and programs. */
export type RunDigest = ReturnType<typeof digestRun> & { readonly report: string | null };

const mostTasks = 200;
const mostPasses = 500;
const shortText = 300;
/** Relative to the tasks root. */
const runsFolder = ".task-phase/runs";

/** Nothing brings these on but a person. */
const stops: ReadonlySet<Standing> = new Set([
  "asks",
  "stuck",
  "blocked",
  "refused",
  "unreadable",
  "paused",
  "cancelled",
]);

export function digestRun({ began, now, worked }: RunFacts) {
  const tasks = worked.map(({ task }) => task);
  const [only, ...more] = tasks;
  const done = tasks.filter(({ standing }) => standing === "done");
  return {
    /** A name with the checks that were unsteady, if there are any. */
    done: done.filter((task) => lackOf(task) === null).map(nameDone),
    /** Done, and its proof shows less than that: with what it lacks, as `T-4 (no file changed)`. */
    unproven: done.filter((task) => lackOf(task) !== null).map(nameDone),
    stopped: tasks
      .filter(({ standing }) => stops.has(standing))
      .map((task) => ({
        name: nameOf(task),
        standing: task.standing,
        tone: task.tone,
        status: statusOf(task),
        why: whyOf(task),
        /** The command for a person to type next; null if it is shown elsewhere, as for a question. */
        act: actOf(task),
      })),
    /** The others, with the phase that each is in. */
    left: tasks
      .filter(({ standing }) => standing !== "done" && !stops.has(standing))
      .map((task) => `${nameOf(task)} in ${task.phase ?? "no phase"}`),
    /** The evidence page of the only task that was worked on; null if there were more, or if it has none. */
    evidence: only !== undefined && more.length === 0 && stands(only.place.page) ? only.place.page : null,
    cost: formatSpend(sumSpend(worked.map(({ spend }) => spend))),
    timeMs: msBetween(began, now),
  };
}

function actOf(task: InspectedTask): string | null {
  const { phase, standing, history } = task;
  if (standing === "refused") return `task-phase check ${quoteWord(nameOf(task))}`;
  if (!["stuck", "blocked", "cancelled"].includes(standing)) return null;
  const to = phase !== null && isWorkingPhase(phase) ? phase : (history.stoppedIn ?? "PHASE");
  return resumeLine(nameOf(task), to);
}

/** The report as Markdown; its links are relative to `.task-phase/runs/` of the tasks root. */
export function renderRunReport(facts: RunFacts, { redactor }: Pick<PassPorts, "redactor">): string {
  const { id, began, now, ending, worked } = facts;
  const total = sumSpend(worked.map(({ spend }) => spend));
  const passes = worked.flatMap(({ task, verdicts }) => verdicts.map((verdict) => ({ task, verdict })));
  passes.sort((left, right) => (left.verdict.at < right.verdict.at ? -1 : 1));
  const data = {
    id,
    running: ending === null,
    began: formatMinute(began.toISOString()),
    written: formatMinute(now.toISOString()),
    reason: ending === null ? "" : showShort(ending.reason, shortText * 2),
    exit: ending === null ? "" : `${exitCodes[ending.exitName]} ${ending.exitName}`,
    passCount: countPasses(passes.map(({ verdict }) => verdict)),
    cost: formatSpend(total),
    time: formatDuration(msBetween(began, now)),
    passTime: formatDuration(total.timeMs),
    tasks: worked.slice(0, mostTasks).map(toReportTask),
    moreTasks: Math.max(0, worked.length - mostTasks),
    passes: passes.slice(-mostPasses).map(({ task, verdict }) => ({
      at: formatMinute(verdict.at),
      task: nameOf(task),
      pass: verdict.pass,
      href: hrefOf(task, passFolder(task.place, verdict.pass)),
      step: verdict.from === verdict.to ? verdict.from : `${verdict.from} → ${verdict.to}`,
      verdict: showShort(verdictAndWhy(verdict), shortText),
      model: showShort(verdict.model ?? "no model", 80),
      cost: costOf(verdict),
      time: formatDuration(verdict.duration_ms),
    })),
    morePasses: Math.max(0, passes.length - mostPasses),
  };
  return redactor.redact(renderTemplate("RUN.md", redactDeep(data, redactor)));
}

/** The report of a run that was killed, from the one that it last wrote. */
export function markCutOff(report: string): string {
  return report.replace(
    /^> \[!NOTE\]\n> \*\*Running, as of ([^*\n]+)\.\*\*[^\n]*$/m,
    "> [!WARNING]\n> **Cut off: the run was killed after this was written, $1.** The journals of the tasks have what it did since; a later run recovered the rest.",
  );
}

function toReportTask({ task, verdicts, spend }: WorkedTask) {
  const { place, standing } = task;
  return {
    name: nameOf(task),
    title: showShort(task.told?.title ?? "", 120),
    standing,
    why: whyOf(task),
    stops: stops.has(standing),
    passes: countPasses(verdicts),
    cost: formatSpend(spend),
    time: formatDuration(spend.timeMs),
    state: hrefOf(task, place.state),
    evidence: hrefOf(task, place.evidence),
    decisions: standing === "asks" || standing === "stuck" ? hrefOf(task, place.decisions) : null,
  };
}

function costOf({ end, cost_usd: cost }: WorkedTask["verdicts"][number]): string {
  if (cost !== null) return formatSpend({ knownUsd: cost, unknownPasses: 0 });
  return end.kind === "no_model" ? "none" : "not known";
}

/** A move without a model is none, here and wherever passes are counted. */
function countPasses(verdicts: WorkedTask["verdicts"]): number {
  return verdicts.filter(({ end }) => end.kind !== "no_model").length;
}

function lackOf({ history: { lastVerdict } }: InspectedTask): string | null {
  return lastVerdict?.proof == null ? "no proof is recorded" : lacksProof(lastVerdict.proof);
}

/** With what its proof lacks, and the checks that were unsteady. */
function nameDone(task: InspectedTask): string {
  const { unsteady = [] } = task.history.lastVerdict?.proof ?? {};
  const told = [lackOf(task), ...unsteady].filter((one) => one !== null);
  return told.length === 0 ? nameOf(task) : `${nameOf(task)} (${told.join("; ")})`;
}

function nameOf({ id, place }: InspectedTask): string {
  return showShort(id ?? place.name, 80) || place.name;
}

/** A report is read elsewhere, where the folders of this machine say nothing. */
function whyOf({ why, place }: InspectedTask): string {
  return showShort(why.replaceAll(`${place.tasksRoot}/`, ""), shortText);
}

function hrefOf({ place }: InspectedTask, path: string): string | null {
  return stands(path) ? relativeHref(path.slice(dirname(place.taskDir).length + 1), runsFolder) : null;
}

export type RunOfRoot = NonNullable<ReturnType<typeof newestRun>>;

/** The newest call of the loop over a tasks root, as the journals say; null if no loop has started a pass yet. */
export function newestRun(tasks: readonly Pick<InspectedTask, "history">[]) {
  const runs = tasks.flatMap(({ history }) => (history.run === null ? [] : [history.run]));
  const newest = [...runs].sort((left, right) => (left.at < right.at ? 1 : -1))[0];
  if (newest === undefined) return null;
  const passes = runs.filter(({ id }) => id === newest.id).reduce((sum, run) => sum + run.passes, 0);
  /** When the last of these passes of models began; ISO 8601, UTC. */
  const { id, at } = newest;
  return { id, passes, at };
}

import type { ListedFiles } from "../queue/listing/listed-files.ts";
import type { RunOfRoot } from "../queue/loop/run-report.ts";
import { watchHindrances } from "../queue/views/hindrance.ts";
import type { CooldownView } from "../queue/views/inspect-cooldowns.ts";
import { type InspectedTask, withFacts } from "../queue/views/inspect-task.ts";
import { watchMoved } from "../queue/views/moved-since.ts";
import type { RootView } from "../queue/views/root-view.ts";
import { whyOf } from "../rules/made.ts";
import { isWorkingPhase, type Phase } from "../rules/phases.ts";
import { resumeLine } from "../rules/resume-line.ts";
import { dollars, type Spend } from "../rules/spend.ts";
import type { StandingFacts } from "../rules/standing-facts.ts";
import { isUnblocked } from "../rules/state-view.ts";
import { plural } from "../rules/wording.ts";
import { stands } from "../task/records/task-place.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { CommandContext } from "./command.ts";
import { type Line, paint, toneStyles, verdictStyles } from "./paint.ts";
import { isOnBranch } from "./show-asks.ts";
import { renderEvidence } from "./show-pass.ts";
import type { ShownTask } from "./status-json.ts";

export function showRun(run: RunOfRoot | null): string[] {
  if (run === null) return [];
  return [`newest loop: ${run.id}, ${plural(run.passes, "pass", "passes")}, the last started ${run.at}`];
}

export function renderCooldown({ model, until, reason }: CooldownView): string {
  return `cooling down: ${model} until ${until}, ${reason}`;
}

export function showTask(task: ShownTask, cwd: string): Line[] {
  const { history, place } = task;
  const last = history.lastVerdict;
  return [
    [paint("heading", `${task.id ?? task.place.name}  ${task.title ?? ""}`.trimEnd())],
    `phase: ${task.phase ?? "unknown"}`,
    ["standing: ", paint(toneStyles[task.tone], task.standing), `, ${shownWhy(task)}`],
    ...showBlockers(task),
    `passes: ${renderPasses(history)}, repairs: ${history.counts.repairs}, spent: ${renderSpend(history.spend)}`,
    ...(last === null ? [] : [renderVerdict(last)]),
    ...history.tickets.map((ticket) => `ticket ${ticket.id}: ${ticket.text.split("\n")[0] ?? ""}`),
    ...task.models.cooldowns.map(renderCooldown),
    ...(stands(place.page) ? [renderEvidence(place.page, task.evidenceUrl, cwd)] : []),
    ...showEligible(task),
    ...(task.facts.briefEdited ? [renderWish(task)] : []),
  ];
}

/**
 * The passes that count against the budget, and all that began: an interrupted one, or one without a model, has a
 * number too.
 */
function renderPasses({ counts: { passes }, lastPass }: ShownTask["history"]): string {
  return passes === lastPass
    ? `${passes}`
    : `${lastPass}, of which ${plural(passes, "counts", "count")} against the budget`;
}

function renderVerdict(last: NonNullable<ListedFiles["history"]["lastVerdict"]>): Line {
  const why = whyOf(last);
  return [
    `last verdict: pass ${last.pass} ${last.from} → ${last.to} `,
    paint(verdictStyles[last.verdict], last.verdict),
    why === "" ? "" : `, ${why}`,
  ];
}

/** The full text of a stop, which the standing shortens. */
function showBlockers({ standing, blockers: said, why }: ShownTask): string[] {
  const blockers = said ?? "";
  const isStop = standing === "stuck" || standing === "blocked";
  return isStop && !isUnblocked(blockers) && blockers !== why ? [`blockers: ${blockers}`] : [];
}

function showEligible({ until, standing, facts }: ShownTask): string[] {
  if (until === null) return [];
  const usual = standing === "asks" ? "then a safe default is taken" : "every model is cooling down";
  return [`next pass: not before ${until}: ${facts.hindered?.why ?? usual}`];
}

function renderSpend({ knownUsd, unknownPasses }: Spend): string {
  const unknown = unknownPasses === 0 ? "" : `${plural(unknownPasses, "call")} of unknown cost`;
  if (knownUsd === null) return unknown === "" ? "nothing yet" : `unknown (${unknown})`;
  return `${dollars(knownUsd)}${unknown === "" ? "" : `, and ${unknown}`}`;
}

/** What is open is shown whole below. */
function shownWhy({ standing, asked, brief, why }: TableTask): string {
  return standing === "asks" && asked.length > 0 ? brief : why;
}

type TableTask = Pick<InspectedTask, "id" | "place" | "phase" | "standing" | "asked" | "brief" | "why" | "tone">;

export function* showTable(tasks: readonly TableTask[]): Generator<Line, void> {
  const nameOf = ({ id, place }: TableTask) => id ?? place.name;
  const phaseOf = ({ phase }: TableTask) => phase ?? "-";
  const widest = (cell: (task: TableTask) => string) =>
    tasks.reduce((most, task) => Math.max(most, cell(task).length), 0);
  const [names, phases, standings] = [widest(nameOf), widest(phaseOf), widest(({ standing }) => standing)];
  for (const task of tasks) {
    yield [
      `${nameOf(task).padEnd(names)}  ${phaseOf(task).padEnd(phases)}  `,
      paint(toneStyles[task.tone], task.standing),
      `${" ".repeat(standings - task.standing.length)}  ${shownWhy(task)}`,
    ];
  }
}

/** Facts that no file of a task has; the caller looks them up. */
export type More = Pick<StandingFacts, "hindered" | "moved">;

/** Finds them out. Tasks of one root and repo share most of the work. */
export function watchMore(context: CommandContext): (task: InspectedTask) => Promise<More> | More {
  const hindranceOf = watchHindrances(context);
  const movedOf = watchMoved(context);
  return (task) => {
    const hindered = hindranceOf(task);
    // Its branch holds what it handed over, and this tree is not on it.
    if (task.phase !== "done" || isOnBranch(context, task)) return { hindered, moved: null };
    return movedOf(task).then((moved) => ({ hindered, moved }));
  };
}

export function addMore<Task extends InspectedTask>(task: Task, { hindered, moved }: More): Task {
  const isSame = hindered === task.facts.hindered && moved === task.facts.moved;
  return isSame ? task : withFacts(task, { hindered, moved });
}

type StoppedTask = Pick<InspectedTask, "standing" | "asked" | "id" | "place" | "phase"> & {
  readonly facts: Pick<StandingFacts, "briefEdited">;
  readonly history: Pick<InspectedTask["history"], "stoppedIn">;
};

/** The one next step as a command to copy, if there is one: what runs, mends, answers or reopens a task. */
export function renderNext(
  next: (Pick<InspectedTask, "id" | "place" | "standing" | "until"> & Partial<Pick<StandingFacts, "hindered">>) | null,
  tasks: readonly StoppedTask[],
  view?: RootView,
): string {
  if (next === null) return `next: ${renderAct(tasks, view)}`;
  const name = quoteWord(next.id ?? next.place.name);
  const { standing, until, hindered = null } = next;
  const when = standing === "cooling" && until !== null ? ` at ${until}:` : ":";
  if (hindered === null || hindered.until !== null) return `next${when} task-phase run ${name}`;
  return `next: ${hindered.mend ?? `task-phase check ${name}`}`;
}

/** What is done on its branch is in no other yet. */
export const landAll = "task-phase land --all";

/** What a person can do where nothing runs: answer, let the first task that is stopped continue, or land what is done. */
function renderAct(tasks: readonly StoppedTask[], view: RootView | undefined): string {
  const asks = tasks.find(({ standing, asked }) => standing === "asks" && asked.length > 0);
  if (asks !== undefined) return `task-phase answer ${nameOf(asks)} ${asks.asked[0]?.id} TEXT`;
  const stopped = tasks.find(({ standing }) => ["asks", "stuck", "blocked", "cancelled"].includes(standing));
  if (stopped !== undefined) return resumeLine(stopped.id ?? stopped.place.name, continuesIn(stopped));
  const paused = tasks.find(({ standing }) => standing === "paused");
  if (paused !== undefined) return `tick PAUSE in CONTROL.md of ${nameOf(paused)}`;
  if (tasks.some(({ standing, place }) => standing === "done" && view?.get(place.name)?.isIn === false)) return landAll;
  if (tasks.some(({ standing }) => standing !== "done")) return "nothing is runnable";
  const edited = tasks.find(({ facts }) => facts.briefEdited);
  return edited === undefined ? "every task is done" : `every task is done; ${renderWish(edited)}`;
}

function renderWish({ id, place }: Pick<StoppedTask, "id" | "place">): string {
  const name = id ?? place.name;
  return `if the edited brief of ${name} asks for more: ${resumeLine(name, "intake")}`;
}

function nameOf({ id, place }: StoppedTask): string {
  return quoteWord(id ?? place.name);
}

/** As RETRY does it: in the working phase that it is in, such as intake, else where the task stopped. */
function continuesIn({ phase, history }: StoppedTask): Phase | "PHASE" {
  return phase !== null && isWorkingPhase(phase) ? phase : (history.stoppedIn ?? "PHASE");
}

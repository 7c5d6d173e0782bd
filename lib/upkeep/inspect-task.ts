import { waitsForRecovery } from "../anchor/anchor.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { emptyHistory, type TaskHistory } from "../machine/history.ts";
import type { Phase } from "../machine/phases.ts";
import { standingOf } from "../machine/standing.ts";
import { nothingElse, type OpenAsk, type StandingAnswer, type StandingFacts } from "../machine/standing-facts.ts";
import type { StateView } from "../machine/state-view.ts";
import { asksRetry, holdsBack } from "../people/control.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { errorFinding, type Finding } from "../report/finding.ts";
import { isLocked } from "../store/lock.ts";
import { type ListedTasks, listOnce, openDependencies } from "../task/dependencies.ts";
import { taskLockPath } from "../task/guarded-paths.ts";
import { loadContract, type TaskContract } from "../task/load-contract.ts";
import { askOf, isAnswered, listOpen } from "../task/open-questions.ts";
import { judgeReady } from "../task/require-ready.ts";
import type { Contract } from "../task-folder/contract.ts";
import { type CooldownsView, inspectCooldowns, noCooldowns } from "./inspect-cooldowns.ts";
import { type InspectPorts, readTaskFiles } from "./read-task-files.ts";

export type { InspectPorts } from "./read-task-files.ts";

/** A task as a reader sees it: nothing is locked and nothing is written. */
export interface InspectedTask extends StandingAnswer {
  readonly place: TaskPlace;
  readonly id: string | null;
  readonly title: string | null;
  readonly priority: number;
  /** The facts that the standing was decided from. */
  readonly facts: StandingFacts;
  /** As the journal has it, else as STATE.md has it. */
  readonly phase: Phase | null;
  readonly state: StateView | null;
  readonly waitsFor: readonly string[];
  /** The questions that are open. */
  readonly asked: readonly OpenAsk[];
  readonly history: TaskHistory;
  /** When the newest event that judged or moved the task was recorded, ISO 8601, UTC; null before the first. */
  readonly movedAt: string | null;
  /** Which models cool down. */
  readonly models: CooldownsView;
  /** The contents of its brief; null if that cannot be read, even if other files of the task can. */
  readonly told: Pick<Contract, "id" | "title" | "dependsOn"> | null;
  /** The contract; null if the task cannot be read. */
  readonly contract: TaskContract | null;
  /** The exit of a run if the task cannot be read or its contract or dependencies are wrong; else null. */
  readonly unreadable: ExitName | null;
  readonly findings: readonly Finding[];
}

/** `listed`: the tasks of the root, if the caller looks at more than one of them. */
export function inspectTask(
  place: TaskPlace,
  configFlag: string | null,
  ports: InspectPorts,
  listed: () => ListedTasks = listOnce(place.tasksRoot),
): InspectedTask {
  try {
    return inspect(place, configFlag, ports, listed);
  } catch (error) {
    return inspectUnread(place, error, readTold(place, configFlag, ports), ports);
  }
}

/** The task with more that was found out about it. */
export function withFacts<Task extends Pick<InspectedTask, "facts">>(task: Task, more: Partial<StandingFacts>): Task {
  const facts = { ...task.facts, ...more };
  return { ...task, ...standingOf(facts), facts };
}

/** The next run repairs half-written files of a killed run before it reads them; anything else is unreadable. */
function inspectUnread(
  place: TaskPlace,
  error: unknown,
  told: InspectedTask["told"],
  ports: InspectPorts,
): InspectedTask {
  const cutOff = error instanceof TaskPhaseError && isCutOff(place, ports);
  const { exitName, findings } = asTaskError(error, place);
  const unreadable = findings[0]?.message ?? "it cannot be read";
  const facts = { ...nothingElse, history: emptyHistory, phase: null, blockers: "", unreadable, cutOff };
  return {
    place,
    id: null,
    title: null,
    priority: 0,
    phase: null,
    state: null,
    waitsFor: [],
    asked: [],
    history: emptyHistory,
    movedAt: null,
    models: noCooldowns,
    contract: null,
    told,
    facts,
    ...standingOf(facts),
    unreadable: cutOff ? null : exitName,
    findings: cutOff ? [] : findings,
  };
}

/** Whatever a look at one task throws is told of that task, so that the others of its root are looked at as well. */
function asTaskError(error: unknown, place: TaskPlace): TaskPhaseError {
  if (error instanceof TaskPhaseError) return error;
  const message = `this task cannot be inspected: ${error instanceof Error ? error.message : String(error)}`;
  return new TaskPhaseError("failure", [errorFinding("TP_UNEXPECTED", message, { file: place.taskDir })], {
    cause: error,
  });
}

function isCutOff(place: TaskPlace, ports: InspectPorts): boolean {
  try {
    return waitsForRecovery(place, ports);
  } catch (error) {
    if (error instanceof TaskPhaseError) return false;
    throw error;
  }
}

function readTold(place: TaskPlace, configFlag: string | null, ports: InspectPorts): InspectedTask["told"] {
  try {
    return loadContract(place, configFlag, ports).contract;
  } catch (error) {
    if (error instanceof TaskPhaseError) return null;
    throw error;
  }
}

function inspect(
  place: TaskPlace,
  configFlag: string | null,
  ports: InspectPorts,
  listed: () => ListedTasks,
): InspectedTask {
  const { loaded, history, movedAt, state, edited, questions } = readTaskFiles(place, configFlag, ports);
  const { contract } = loaded;
  const phase = history.phase ?? state.phase;
  const needs = lookAtDependencies(place, loaded, listed);
  const asking = { history, phase, blockers: state.fields.blockers, questions };
  const paused = holdsBack(place);
  const open = listOpen({ ...asking, paused: paused !== null, waitMs: contract.questionWaitMs, now: ports.now() });
  const asked = open.map(askOf);
  const models = inspectCooldowns(place, loaded, ports);
  const [unready] = judgeReady(loaded, { readme: place.readme, lastPass: history.lastPass });
  const facts: StandingFacts = {
    ...nothingElse,
    history,
    phase,
    blockers: state.fields.blockers,
    questions: asked,
    answered: isAnswered(asking),
    locked: isLocked(taskLockPath(place)),
    cutOff: waitsForRecovery(place, ports) || history.unfinishedPass !== null,
    // Its files were read, and their contents count; no pass may run before the dependencies are put right.
    wrong: needs.wrong === null ? null : (needs.wrong.findings[0]?.message ?? needs.wrong.message),
    edited,
    paused,
    retry: asksRetry(place),
    waitsFor: needs.open,
    coolingUntil: models.nextEligibleAt,
    hindered: unready === undefined ? null : { why: unready.message, until: null },
  };
  return {
    place,
    id: contract.id,
    title: contract.title,
    priority: contract.priority,
    facts,
    ...standingOf(facts),
    phase,
    state,
    waitsFor: needs.open,
    asked,
    history,
    movedAt,
    models,
    told: contract,
    contract: loaded,
    unreadable: needs.wrong?.exitName ?? null,
    findings: [...models.findings, ...(needs.wrong?.findings ?? [])],
  };
}

/** The open dependencies, or what is wrong with them. */
function lookAtDependencies(
  place: TaskPlace,
  { contract }: TaskContract,
  listed: () => ListedTasks,
): { readonly open: readonly string[]; readonly wrong: TaskPhaseError | null } {
  try {
    return { open: openDependencies(place, contract.id, contract.dependsOn, listed), wrong: null };
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return { open: [], wrong: error };
  }
}

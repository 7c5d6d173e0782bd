import { configCandidates } from "../config/find-config.ts";
import type { TaskEvent } from "../machine/events.ts";
import { headlineOf, proofOf } from "../machine/headline.ts";
import { emptyHistory, readHistory, type TaskHistory } from "../machine/history.ts";
import type { Phase } from "../machine/phases.ts";
import { isUnblocked, type StateView } from "../machine/state-view.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { errorFinding, type Finding } from "../report/finding.ts";
import { isLocked } from "../store/lock.ts";
import { readRegularFile } from "../store/read-file.ts";
import { createStatCache } from "../store/stat-cache.ts";
import type { Contract } from "../task-folder/contract.ts";
import type { Question } from "../task-folder/decisions.ts";
import { readState } from "../task-folder/state.ts";
import { holdsBack } from "./control.ts";
import { type ListedTasks, listOnce, openDependencies } from "./dependencies.ts";
import { taskLockPath } from "./guarded-paths.ts";
import { type CooldownsView, inspectCooldowns, noCooldowns } from "./inspect-cooldowns.ts";
import { loadContract, type TaskContract } from "./load-contract.ts";
import { lookAtQuestions, requireOwnFolders, requireReadable, unreadableFile } from "./look.ts";
import { isAnswered, listOpen, type OpenQuestion } from "./open-questions.ts";
import type { PassPorts } from "./ports.ts";
import { waitsForRecovery } from "./recover.ts";
import { stateText } from "./state-text.ts";
import { emptyJournal, readTaskJournal } from "./task-journal.ts";
import type { TaskPlace } from "./task-place.ts";

/** Why a task runs or does not. */
export type Standing =
  | "runnable"
  | "running"
  | "interrupted"
  | "edited"
  | "paused"
  | "waiting"
  | "asking"
  | "blocked"
  | "done"
  | "unreadable";

/** A task as a reader sees it: nothing is locked and nothing is written. */
export interface InspectedTask {
  readonly place: TaskPlace;
  readonly id: string | null;
  readonly title: string | null;
  readonly priority: number;
  readonly standing: Standing;
  /** One sentence: what it waits for, or what comes next. */
  readonly why: string;
  /** As the journal has it, else as STATE.md has it. */
  readonly phase: Phase | null;
  readonly state: StateView | null;
  readonly waitsFor: readonly string[];
  readonly openQuestions: readonly string[];
  /** The same with their titles. */
  readonly asked: readonly { readonly id: string; readonly title: string }[];
  /** Every question of a stopped task is answered, so that the next run goes on. */
  readonly answered: boolean;
  /** When the runner takes the first safe default of an open question, ISO 8601, UTC; null where it takes none. */
  readonly defaultAt: string | null;
  /** That time has come. */
  readonly defaultDue: boolean;
  readonly history: TaskHistory;
  /** When the newest event that judged or moved the task was recorded, ISO 8601, UTC; null before the first. */
  readonly movedAt: string | null;
  /** Which models cool down. */
  readonly models: CooldownsView;
  /** What its brief says; null where that cannot be read, though other files of the task may be unreadable. */
  readonly told: Pick<Contract, "id" | "title" | "dependsOn"> | null;
  /** The contract; null where the task cannot be read. */
  readonly contract: TaskContract | null;
  /** What a run would end with where the task cannot be read or its contract or dependencies are wrong; else null. */
  readonly unreadable: ExitName | null;
  readonly findings: readonly Finding[];
}

const cutOff = "its last run was cut off; the next one recovers it";

export type InspectPorts = Pick<PassPorts, "env" | "home" | "cwd" | "now">;

/** `listed`: the tasks of the root, where the caller looks at more than one of them. */
export function inspectTask(
  place: TaskPlace,
  configFlag: string | null,
  ports: InspectPorts,
  listed: () => ListedTasks = listOnce(place.tasksRoot),
): InspectedTask {
  const found = {
    place,
    id: null,
    title: null,
    priority: 0,
    phase: null,
    state: null,
    waitsFor: [],
    openQuestions: [],
    asked: [],
    answered: false,
    defaultAt: null,
    defaultDue: false,
    history: emptyHistory,
    movedAt: null,
    models: noCooldowns,
    contract: null,
    findings: [],
  };
  try {
    return inspect(place, configFlag, ports, listed);
  } catch (error) {
    const told = readTold(place, configFlag, ports);
    // What a killed run left half-written, the next one puts right before it reads it.
    if (error instanceof TaskPhaseError && isCutOff(place, ports))
      return { ...found, told, standing: "interrupted", unreadable: null, why: cutOff };
    const { exitName, findings } = asTaskError(error, place);
    return {
      ...found,
      told,
      standing: "unreadable",
      unreadable: exitName,
      why: findings[0]?.message ?? "it cannot be read",
      findings,
    };
  }
}

/** Whatever a look at one task throws is told of that task, so that the others of its root are looked at as well. */
function asTaskError(error: unknown, place: TaskPlace): TaskPhaseError {
  if (error instanceof TaskPhaseError) return error;
  const message = `this task cannot be looked at: ${error instanceof Error ? error.message : String(error)}`;
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
  const { loaded, history, movedAt, state, edited, questions } = readFiles(place, configFlag, ports);
  const { contract } = loaded;
  const phase = history.phase ?? state.phase;
  const needs = lookAtDependencies(place, loaded, listed);
  const asking = { history, phase, blockers: state.fields.blockers, questions };
  const held = holdsBack(place);
  const open = listOpen({ ...asking, paused: held !== null, waitMs: contract.questionWaitMs, now: ports.now() });
  const openQuestions = open.map(({ question }) => question.id);
  const models = inspectCooldowns(place, loaded, ports);
  const task = {
    place,
    id: contract.id,
    title: contract.title,
    priority: contract.priority,
    phase,
    state,
    waitsFor: needs.open,
    openQuestions,
    asked: open.map(({ question: { id, title } }) => ({ id, title })),
    answered: isAnswered(asking),
    defaultAt: earliest(open),
    defaultDue: open.some(({ due }) => due),
    history,
    movedAt,
    models,
    told: contract,
    contract: loaded,
    unreadable: needs.wrong?.exitName ?? null,
    findings: [...models.findings, ...(needs.wrong?.findings ?? [])],
  };
  const say = (standing: Standing, why: string): InspectedTask => ({ ...task, standing, why });
  if (isLocked(taskLockPath(place))) return say("running", "a runner holds it");
  if (waitsForRecovery(place, ports) || history.unfinishedPass !== null) return say("interrupted", cutOff);
  // Its files were read, and what they say stands; no pass may run before the dependencies are put right.
  if (needs.wrong !== null) return say(phase === "done" ? "done" : "waiting", sayWrong(needs.wrong));
  if (open.length > 0) return say("asking", `open: ${open.map(({ told }) => told).join(", ")}; answer in DECISIONS.md`);
  if (edited) return say("edited", "STATE.md was edited since the last accepted one; the next run judges that");
  if (phase === "done") return say("done", sayDone(history));
  if (phase === "blocked") return say("blocked", state.fields.blockers || "Blockers says nothing");
  if (phase === "needs_user_decision")
    return say(
      "asking",
      task.answered
        ? `every question is answered; the next run goes on in ${history.askedFrom}`
        : "no question is open, and none of this stop was answered; a person goes on with task-phase resume",
    );
  if (phase === "intake" && history.runnerBlockers !== null && !isUnblocked(state.fields.blockers))
    return say("blocked", state.fields.blockers);
  if (held !== null) return say("paused", held);
  if (needs.open.length > 0) return say("waiting", `waits for ${needs.open.join(", ")}`);
  const cooling = models.nextEligibleAt === null ? "" : `, not before ${models.nextEligibleAt}: every model cools down`;
  return say("runnable", `a pass in ${phase} comes next${cooling}`);
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

function sayWrong(error: TaskPhaseError): string {
  return error.findings[0]?.message ?? error.message;
}

/** What the task's files say; nothing of it depends on the clock, on locks or on other tasks. */
interface ReadFiles {
  readonly loaded: TaskContract;
  readonly history: TaskHistory;
  readonly movedAt: string | null;
  readonly state: StateView;
  readonly edited: boolean;
  readonly questions: readonly Question[];
}

// A loop over a root looks at every task before each pass.
const filesSeen = createStatCache<ReadFiles>();

function readFiles(place: TaskPlace, configFlag: string | null, ports: InspectPorts): ReadFiles {
  const { env, home, cwd } = ports;
  const configs = configCandidates({ configFlag, env, home, cwd, taskDir: place.taskDir });
  const { readme, state, steps, decisions, evidence, artifacts, passes, journal } = place;
  return filesSeen([readme, state, steps, decisions, evidence, artifacts, passes, journal, ...configs], () => {
    const loaded = loadContract(place, configFlag, ports);
    requireOwnFolders(place);
    requireReadable(place);
    return { loaded, ...readStanding(place), questions: lookAtQuestions(place) };
  });
}

/** What judges a task or moves it; the others only note something. */
const moves: ReadonlySet<TaskEvent["type"]> = new Set([
  "adopted",
  "state_edited",
  "defaulted",
  "verdict",
  "escalated",
  "resumed",
  "answered",
]);

function readStanding(place: TaskPlace): Pick<ReadFiles, "history" | "movedAt" | "state" | "edited"> {
  const read = readRegularFile(place.state, 1024 * 1024);
  if (read.kind !== "file") throw unreadableFile(place.state, read);
  const state = readState(read.bytes, place.state);
  if (state.kind === "unreadable") throw new TaskPhaseError("data", state.findings);
  const { events } = readTaskJournal(place.journal) ?? emptyJournal;
  const history = readHistory(events);
  return {
    history,
    movedAt: events.findLast(({ type }) => moves.has(type))?.at ?? null,
    state: state.document.view,
    edited: history.state !== null && history.state !== stateText(state.document),
  };
}

function earliest(open: readonly OpenQuestion[]): string | null {
  const times = open.flatMap(({ takenFrom }) => takenFrom?.toISOString() ?? []);
  return times.sort()[0] ?? null;
}

/** True where a run could do something: a pass, a recovery, judging a person's edit, or taking a safe default. */
export function isRunnable(task: InspectedTask): boolean {
  const answered = task.standing === "asking" && (task.answered || task.defaultDue);
  return task.standing === "runnable" || task.standing === "interrupted" || task.standing === "edited" || answered;
}

/**
 * When something could go on by itself, where every model cools down, or where a question waits for its safe default;
 * else null. What waits for a person or for another task waits for no time.
 */
export function eligibleAt(task: InspectedTask): string | null {
  if (isRunnable(task)) return task.models.nextEligibleAt;
  return task.standing === "asking" ? task.defaultAt : null;
}

function sayDone({ lastVerdict }: TaskHistory): string {
  return lastVerdict === null ? "done" : headlineOf(proofOf(lastVerdict)).text;
}

import { emptyHistory, readHistory, type TaskHistory } from "../machine/history.ts";
import type { Phase } from "../machine/phases.ts";
import { isUnblocked, type StateView } from "../machine/state-view.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { ExitName } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";
import { isLocked } from "../store/lock.ts";
import { readRegularFile } from "../store/read-file.ts";
import { readState } from "../task-folder/state.ts";
import { openDependencies } from "./dependencies.ts";
import { taskLockPath } from "./guarded-paths.ts";
import { type CooldownsView, inspectCooldowns, noCooldowns } from "./inspect-cooldowns.ts";
import { loadContract } from "./load-contract.ts";
import { lookAtQuestions, requireOwnFolders, requireReadable, unreadableFile } from "./look.ts";
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
  readonly history: TaskHistory;
  /** Which models cool down. */
  readonly models: CooldownsView;
  /** What a run would end with where the task cannot be read or its contract is wrong; else null. */
  readonly unreadable: ExitName | null;
  readonly findings: readonly Finding[];
}

const cutOff = "its last run was cut off; the next one recovers it";

export type InspectPorts = Pick<PassPorts, "env" | "home" | "cwd" | "now">;

export function inspectTask(place: TaskPlace, configFlag: string | null, ports: InspectPorts): InspectedTask {
  const found = {
    place,
    id: null,
    title: null,
    priority: 0,
    phase: null,
    state: null,
    waitsFor: [],
    openQuestions: [],
    history: emptyHistory,
    models: noCooldowns,
    findings: [],
  };
  try {
    return inspect(place, configFlag, ports);
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    // What a killed run left half-written, the next one puts right before it reads it.
    if (waitsForRecovery(place, ports)) return { ...found, standing: "interrupted", unreadable: null, why: cutOff };
    return {
      ...found,
      standing: "unreadable",
      unreadable: error.exitName,
      why: error.findings[0]?.message ?? error.message,
      findings: error.findings,
    };
  }
}

function inspect(place: TaskPlace, configFlag: string | null, ports: InspectPorts): InspectedTask {
  const loaded = loadContract(place, configFlag, ports);
  const { contract } = loaded;
  requireOwnFolders(place);
  requireReadable(place);
  const { history, state, edited } = readStanding(place);
  const phase = history.phase ?? state.phase;
  const waitsFor = openDependencies(place, contract.id, contract.dependsOn);
  const openQuestions = lookAtQuestions(place)
    .filter((question) => question.open)
    .map((question) => question.id);
  const models = inspectCooldowns(place, loaded, ports);
  const task = {
    place,
    id: contract.id,
    title: contract.title,
    priority: contract.priority,
    phase,
    state,
    waitsFor,
    openQuestions,
    history,
    models,
    unreadable: null,
    findings: models.findings,
  };
  const say = (standing: Standing, why: string): InspectedTask => ({ ...task, standing, why });
  if (isLocked(taskLockPath(place))) return say("running", "a runner holds it");
  if (waitsForRecovery(place, ports) || history.unfinishedPass !== null) return say("interrupted", cutOff);
  if (openQuestions.length > 0) return say("asking", `open: ${openQuestions.join(", ")}; answer in DECISIONS.md`);
  if (edited) return say("edited", "STATE.md was edited since the last accepted one; the next run judges that");
  if (phase === "done") return say("done", "proven by the runner");
  if (phase === "blocked") return say("blocked", state.fields.blockers || "Blockers says nothing");
  if (phase === "needs_user_decision")
    return say("asking", "no question is open; the next run goes on where it was asked");
  if (phase === "intake" && history.runnerBlockers !== null && !isUnblocked(state.fields.blockers))
    return say("blocked", state.fields.blockers);
  if (waitsFor.length > 0) return say("waiting", `waits for ${waitsFor.join(", ")}`);
  return say("runnable", `a pass in ${phase} comes next`);
}

function readStanding(place: TaskPlace): { history: TaskHistory; state: StateView; edited: boolean } {
  const read = readRegularFile(place.state, 1024 * 1024);
  if (read.kind !== "file") throw unreadableFile(place.state, read);
  const state = readState(read.bytes, place.state);
  if (state.kind === "unreadable") throw new TaskPhaseError("data", state.findings);
  const history = readHistory((readTaskJournal(place.journal) ?? emptyJournal).events);
  return {
    history,
    state: state.document.view,
    edited: history.state !== null && history.state !== stateText(state.document),
  };
}

/** True where a run could do something: a pass, a recovery, or judging a person's edit. */
export function isRunnable(task: InspectedTask): boolean {
  const answered = task.standing === "asking" && task.openQuestions.length === 0 && task.history.askedFrom !== null;
  return task.standing === "runnable" || task.standing === "interrupted" || task.standing === "edited" || answered;
}

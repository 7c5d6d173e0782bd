import type { LoadedConfig } from "../../documents/config/load-config.ts";
import type { Contract } from "../../documents/contract.ts";
import { noJournal } from "../../pass/people/resume-command.ts";
import type { Phase } from "../../rules/phases.ts";
import { standingOf } from "../../rules/standing.ts";
import { nothingElse, type OpenAsk, type StandingAnswer, type StandingFacts } from "../../rules/standing-facts.ts";
import { pathError } from "../../store/error-code.ts";
import { statIfReadable } from "../../store/folder.ts";
import { type ListedTasks, type OpenDependency, openDependencies } from "../../task/judge-dependencies.ts";
import { askOf, isAnswered, listOpen } from "../../task/open-questions.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { catchForeseen, orIfForeseen } from "../../text/attempt.ts";
import { asForeseen, TaskPhaseError } from "../../text/errors.ts";
import type { ExitName } from "../../text/exit-codes.ts";
import type { Finding } from "../../text/finding.ts";
import { type ListedBrief, type ListedFiles, noHistory } from "../listing/listed-files.ts";
import { type CooldownsView, noCooldowns } from "./inspect-cooldowns.ts";
import type { AheadTask, RootView } from "./root-view.ts";

export type InspectPorts = Pick<PassPorts, "env" | "home" | "cwd" | "now" | "runtimeRoot"> & {
  /** Tasks that are newer on their branches; missing: the folders count. */
  readonly view?: RootView;
  /** The task is read where its branch has it: where a person's words about it are, and those that it has by now. */
  readonly ahead?: Pick<AheadTask, "note"> & { readonly tasksRoot: string };
  /** Where passes that work in clones keep their notes; missing: there are none. */
  readonly clonesRoot?: string;
};

/** A task as a reader sees it: nothing is locked and nothing is written. */
export interface InspectedTask
  extends Pick<ListedFiles, "history" | "movedAt" | "hasPage" | "hasState" | "hasEvidence" | "hasDecisions" | "hasGit">,
    StandingAnswer {
  readonly place: TaskPlace;
  readonly id: string | null;
  readonly title: string | null;
  readonly priority: number;
  readonly facts: StandingFacts;
  /** As the journal has it, else as STATE.md has it. */
  readonly phase: Phase | null;
  /** Blockers of STATE.md; null if that cannot be read. */
  readonly blockers: string | null;
  readonly waitsFor: readonly string[];
  readonly asked: readonly OpenAsk[];
  readonly models: CooldownsView;
  /** The contents of its brief; null if that cannot be read, even if other files of the task can. */
  readonly told: Pick<Contract, "id" | "title" | "dependsOn"> | null;
  /** The contract, as far as a list needs it; null if the task cannot be read. */
  readonly contract: { readonly contract: ListedBrief; readonly config: LoadedConfig } | null;
  /** The exit of a run if the task or its journal cannot be read, or its contract or dependencies are wrong; else null. */
  readonly unreadable: ExitName | null;
  readonly findings: readonly Finding[];
}

export function withFacts<Task extends Pick<InspectedTask, "facts">>(task: Task, more: Partial<StandingFacts>): Task {
  const facts = { ...task.facts, ...more };
  return { ...task, ...standingOf(facts), facts };
}

/** What the files of a task do not say. */
export interface Surroundings {
  readonly config: LoadedConfig;
  readonly models: CooldownsView;
  isLocked(place: TaskPlace): boolean;
  waitsForRecovery(place: TaskPlace): boolean;
  /** The tasks of the root, for the dependencies. */
  listed(): ListedTasks;
  now(): Date;
}

/**
 * The next run repairs half-written files of a killed run before it reads them; anything else is unreadable. `told`: what
 * its brief says, if that can be read.
 */
export function inspectUnread(
  place: TaskPlace,
  error: unknown,
  told: InspectedTask["told"],
  around: Pick<Surroundings, "waitsForRecovery">,
): InspectedTask {
  const cutOff = error instanceof TaskPhaseError && isCutOff(place, around);
  // So that the other tasks of the root are still inspected.
  const known = pathError(error) ?? error;
  const { exitName, findings } = asForeseen(known, "this task cannot be inspected", { file: place.taskDir });
  const unreadable = findings[0]?.message ?? "it cannot be read";
  const facts = { ...nothingElse, history: noHistory, phase: null, blockers: "", unreadable, cutOff };
  return {
    place,
    id: null,
    title: null,
    priority: 0,
    phase: null,
    blockers: null,
    waitsFor: [],
    asked: [],
    history: noHistory,
    movedAt: null,
    hasPage: statIfReadable(place.page) !== null,
    hasState: statIfReadable(place.state) !== null,
    hasEvidence: statIfReadable(place.evidence) !== null,
    hasDecisions: statIfReadable(place.decisions) !== null,
    hasGit: true,
    models: noCooldowns,
    contract: null,
    told,
    facts,
    ...standingOf(facts),
    unreadable: cutOff ? null : exitName,
    findings: cutOff ? [] : findings,
  };
}

function isCutOff(place: TaskPlace, { waitsForRecovery }: Pick<Surroundings, "waitsForRecovery">): boolean {
  return orIfForeseen(() => waitsForRecovery(place), false);
}

const none: readonly never[] = [];

/** Throws if the lock or what a killed run left cannot be looked at. */
export function inspectFiles(place: TaskPlace, files: ListedFiles, around: Surroundings): InspectedTask {
  const { brief, history, blockers, questions } = files;
  const { config, models } = around;
  const phase = history.phase ?? files.phase;
  const needs = judgeDependencies(place, brief, around);
  const asking = { history, phase, blockers, questions };
  const open =
    questions.length === 0
      ? none
      : listOpen({ ...asking, paused: files.paused !== null, waitMs: brief.questionWaitMs, now: around.now() });
  const asked = open.length === 0 ? none : open.map(askOf);
  const locked = around.isLocked(place);
  const cutOff = around.waitsForRecovery(place) || history.unfinishedPass !== null;
  const unknown =
    history.phase === null && files.phase !== "intake" && !locked && !cutOff
      ? noJournal(place, files.phase, null)
      : null;
  const facts: StandingFacts = {
    // Written out, since there may be many tasks: a spread costs more than all that is decided here.
    unreadable: unknown === null ? null : unknown.message,
    moved: null,
    history,
    phase,
    blockers,
    questions: asked,
    answered: isAnswered(asking),
    locked,
    cutOff,
    // Its files were read, and their contents count; no pass may run before the dependencies are put right.
    wrong: needs.wrong === null ? null : (needs.wrong.findings[0]?.message ?? needs.wrong.message),
    edited: files.edited,
    briefEdited: files.briefEdited,
    paused: files.paused,
    retry: files.retry,
    waitsFor:
      needs.open.length === 0
        ? none
        : needs.open.map(({ id, isUnproven }) => (isUnproven ? `${id} (done without proof)` : id)),
    coolingUntil: models.nextEligibleAt,
    // What a run alone finds out; the files say the rest.
    held: history.held?.standing === "refused" || history.held?.standing === "runnable" ? history.held : null,
    name: brief.id,
    hindered: files.hindered,
  };
  const { standing, brief: few, why, who, callsModel, until, tone } = standingOf(facts);
  return {
    place,
    id: brief.id,
    title: brief.title,
    priority: brief.priority,
    facts,
    standing,
    brief: few,
    why,
    who,
    callsModel,
    until,
    tone,
    phase,
    blockers,
    waitsFor: needs.open.length === 0 ? none : needs.open.map(({ id }) => id),
    asked,
    history,
    movedAt: files.movedAt,
    hasPage: files.hasPage,
    hasState: files.hasState,
    hasEvidence: files.hasEvidence,
    hasDecisions: files.hasDecisions,
    hasGit: files.hasGit,
    models,
    told: brief,
    contract: { contract: brief, config },
    unreadable: unknown === null ? (needs.wrong?.exitName ?? null) : "data",
    findings:
      unknown === null && needs.wrong === null
        ? models.findings
        : [...models.findings, ...(unknown === null ? [] : [unknown]), ...(needs.wrong?.findings ?? [])],
  };
}

function judgeDependencies(
  place: TaskPlace,
  brief: ListedFiles["brief"],
  { listed }: Surroundings,
): { readonly open: readonly OpenDependency[]; readonly wrong: TaskPhaseError | null } {
  return catchForeseen(
    () => ({ open: openDependencies(place, brief, listed), wrong: null }),
    (error) => ({ open: [], wrong: error }),
  );
}

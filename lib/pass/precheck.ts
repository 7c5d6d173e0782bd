import { listCandidates, type NamedModels } from "../agents/rotation/choose-model.ts";
import { readyPlace, requireReady } from "../checks/require-ready.ts";
import type { Question } from "../documents/decisions.ts";
import { activeLoopFile } from "../documents/ralph-loop.ts";
import type { StateDocument } from "../documents/state.ts";
import { landLine } from "../rules/land-line.ts";
import { isWorkingPhase } from "../rules/phases.ts";
import { renderAsk } from "../rules/standing.ts";
import { isUnblocked } from "../rules/state-view.ts";
import { type OpenDependency, openDependencies } from "../task/judge-dependencies.ts";
import { listOnce } from "../task/list-tasks.ts";
import type { TaskContract } from "../task/load-contract.ts";
import { askOf, firstDefault, type OpenQuestion } from "../task/open-questions.ts";
import type { OpenTask } from "../task/open-task.ts";
import { hold, type Stop, stop, type TaskSession } from "../task/session.ts";
import { lockedError } from "../text/errors.ts";
import { requireKnownCosts } from "./budget/money.ts";
import { resumeCommand } from "./people/resume-command.ts";
import { openAt } from "./people/take-defaults.ts";

/**
 * What must hold before a model is called. None of it changes STATE.md; null if all of it holds.
 */
export function precheck(
  session: TaskSession,
  document: StateDocument,
  contract: TaskContract,
  questions: readonly Question[],
  repo: string,
): Stop | null {
  const open = openAt(session, { document, questions }, contract.contract.questionWaitMs, session.ports.now());
  const told = open.map((question) => renderAsk(askOf(question), session.history.stop)).join(", ");
  return (
    withDefault(refuseTerminal(session, document, told), open) ??
    withDefault(refuseOpenQuestions(document, told), open) ??
    refuseOpenDependencies(session, document, contract) ??
    refuseOtherLoop(repo) ??
    ready(session, contract, repo)
  );
}

/**
 * What is wrong with the contract and the words of the call, before a new or edited brief is noted anywhere: throws
 * what `precheck` and `chooseModel` would throw. A task that no pass may run on is left to them.
 */
export function requireUsable(session: TaskSession, contract: OpenTask, repo: string, named: NamedModels): void {
  const { place } = session;
  if (!isWorkingPhase(contract.state.view.phase)) return;
  openDependencies(place, contract.contract, listOnce(place.tasksRoot));
  refuseOtherLoop(repo);
  ready(session, contract, repo);
  requireKnownCosts(session, contract, listCandidates(contract, named));
}

/** A task that waits for a person continues by itself if a safe default is taken. */
function withDefault(stopped: Stop | null, open: readonly OpenQuestion[]): Stop | null {
  return stopped?.exitName === "needs_user_decision" ? { ...stopped, nextEligibleAt: firstDefault(open) } : stopped;
}

function refuseTerminal(session: TaskSession, document: StateDocument, open: string): Stop | null {
  const { phase, fields } = document.view;
  const to = phase === "done" ? "intake" : (session.history.stoppedIn ?? "PHASE");
  const resume = resumeCommand(session.place, to, session.ports.fence?.checkout ?? null);
  if (phase === "done")
    return stop("ok", `the task is done; nothing to do. A person reopens it with: ${resume}`, phase);
  if (phase === "blocked") return stop("blocked", `the task is blocked: ${withResume(fields.blockers, resume)}`, phase);
  if (phase === "needs_user_decision") {
    const what =
      open === ""
        ? "no question is open, and none from this stop was answered"
        : `open: ${open}; answer in DECISIONS.md`;
    return stop("needs_user_decision", `the task waits for a person's decision (${what}), or: ${resume}`, phase);
  }
  const held = phase === "intake" && session.history.stop !== null && !isUnblocked(fields.blockers);
  return held ? stop("blocked", `the task is held in intake: ${fields.blockers}`, phase) : null;
}

/** The runner's own words of a stop end with that command, which here names the task's folder, too. */
function withResume(blockers: string, resume: string): string {
  const given = /`task-phase resume [^`]+`\.$/;
  if (given.test(blockers)) return blockers.replace(given, () => resume);
  return `${blockers.replace(/\.$/, "")}. Once that is cleared: ${resume}`;
}

function refuseOpenQuestions(document: StateDocument, open: string): Stop | null {
  if (open === "") return null;
  return stop(
    "needs_user_decision",
    `an open question waits: ${open}; write its Answer in DECISIONS.md`,
    document.view.phase,
  );
}

function refuseOpenDependencies(
  session: TaskSession,
  document: StateDocument,
  { contract }: TaskContract,
): Stop | null {
  const { place, ports } = session;
  const listed = openDependencies(place, contract, listOnce(place.tasksRoot));
  const needs = ports.fence ?? ports.needs;
  const open = listed.filter(({ id, isUnproven }) => isUnproven || needs?.met.has(id) !== true);
  if (open.length === 0) return null;
  const why = renderOpen(open, needs?.unmerged);
  const ids = open.map(({ id }) => id).join(", ");
  return hold("blocked", "waits", `the task waits for ${why}`, document.view.phase, `for ${ids}`);
}

/** For example `T-1, which is not done, and for T-2, which is done but not merged`: merging is up to a person. */
function renderOpen(open: readonly OpenDependency[], unmerged: ReadonlySet<string> = new Set()): string {
  const say = (some: readonly OpenDependency[], what: string) =>
    some.length === 0
      ? []
      : [`${some.map(({ id }) => id).join(", ")}, which ${some.length === 1 ? "is" : "are"} ${what}`];
  const [unproven, others] = [open.filter((one) => one.isUnproven), open.filter((one) => !one.isUnproven)];
  const undone = others.filter(({ id }) => !unmerged.has(id));
  const left = others.filter(({ id }) => unmerged.has(id));
  return [
    ...say(undone, "not done"),
    ...say(left, `done but not merged ${landLine(left.map(({ id }) => id))}`),
    ...say(unproven, "done without proof (resume it, or remove its `proof: shown` from depends_on)"),
  ].join(", and for ");
}

function refuseOtherLoop(repo: string): null {
  const path = activeLoopFile(repo);
  if (path !== null) {
    throw lockedError("TP_OTHER_LOOP", "another loop is active in the repo", {
      file: path,
      fix: "stop it, or delete that file if it is left over",
    });
  }
  return null;
}

function ready({ place, history, ports }: TaskSession, contract: TaskContract, repo: string): null {
  return requireReady(contract, readyPlace(place, history.lastPass), repo, ports.env);
}

import { join } from "node:path";
import { isWorkingPhase } from "../machine/phases.ts";
import { tellAsk } from "../machine/standing.ts";
import { isUnblocked } from "../machine/state-view.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import { readRegularFile } from "../store/read-file.ts";
import { saysActiveLoop } from "../task-folder/ralph-loop.ts";
import type { StateDocument } from "../task-folder/state.ts";
import { listCandidates, type NamedModels } from "./choose-model.ts";
import { holdsBack } from "./control.ts";
import { openDependencies } from "./dependencies.ts";
import type { TaskContract } from "./load-contract.ts";
import { lookAtQuestions } from "./look.ts";
import { requireKnownCosts } from "./money.ts";
import { askOf, listOpen } from "./open-questions.ts";
import { requireReady } from "./require-ready.ts";
import { type Stop, stop, type TaskSession } from "./session.ts";
import { parseState, readStateBytes } from "./settle-state.ts";

/**
 * What must hold before a model is called. None of it changes STATE.md; null where all of it holds. `defaulted` are the
 * questions whose safe default is taken: a dry run leaves them open in the file.
 */
export function precheck(
  session: TaskSession,
  document: StateDocument,
  contract: TaskContract,
  repo: string,
  defaulted: readonly string[],
): Stop | null {
  const open = openQuestions(session, document, contract).filter(({ question }) => !defaulted.includes(question.id));
  const told = open.map((question) => tellAsk(askOf(question), session.history.stop)).join(", ");
  return (
    refuseTerminal(session, document, told) ??
    refuseOpenQuestions(document, told) ??
    refuseOpenDependencies(session, document, contract) ??
    refuseOtherLoop(repo) ??
    ready(session, contract, repo)
  );
}

/**
 * What is wrong with the contract and the words of the call, before a new or edited brief is noted anywhere: throws
 * what `precheck` and `chooseModel` would throw. A task that no pass may run on is left to them.
 */
export function requireUsable(session: TaskSession, contract: TaskContract, repo: string, named: NamedModels): void {
  const { place } = session;
  if (!isWorkingPhase(parseState(readStateBytes(place.state), place.state).view.phase)) return;
  openDependencies(place, contract.contract.id, contract.contract.dependsOn);
  refuseOtherLoop(repo);
  ready(session, contract, repo);
  requireKnownCosts(session, contract, listCandidates(contract, named));
}

function refuseTerminal(session: TaskSession, document: StateDocument, open: string): Stop | null {
  const { phase, fields } = document.view;
  const resume = `task-phase resume --task-dir ${session.place.taskDir} --to PHASE --reason "..."`;
  if (phase === "done")
    return stop("ok", `the task is done; nothing to do. A person opens it again with: ${resume}`, phase);
  if (phase === "blocked")
    return stop("blocked", `the task is blocked: ${fields.blockers}. When that is cleared: ${resume}`, phase);
  if (phase === "needs_user_decision") {
    const what =
      open === "" ? "no question is open, and none of this stop was answered" : `open: ${open}; answer in DECISIONS.md`;
    return stop("needs_user_decision", `the task waits for a person's decision (${what}), or: ${resume}`, phase);
  }
  const held = phase === "intake" && session.history.stop !== null && !isUnblocked(fields.blockers);
  return held
    ? stop("blocked", `the task is held in intake: ${fields.blockers} Clear Blockers in STATE.md to go on`, phase)
    : null;
}

function refuseOpenQuestions(document: StateDocument, open: string): Stop | null {
  if (open === "") return null;
  return stop(
    "needs_user_decision",
    `an open question waits: ${open}; write its Answer in DECISIONS.md`,
    document.view.phase,
  );
}

function openQuestions({ place, history, ports }: TaskSession, document: StateDocument, { contract }: TaskContract) {
  const { phase, fields } = document.view;
  const questions = lookAtQuestions(place);
  const asking = { history, phase, blockers: fields.blockers, questions, paused: holdsBack(place) !== null };
  return listOpen({ ...asking, waitMs: contract.questionWaitMs, now: ports.now() });
}

function refuseOpenDependencies(
  session: TaskSession,
  document: StateDocument,
  { contract }: TaskContract,
): Stop | null {
  const open = openDependencies(session.place, contract.id, contract.dependsOn);
  return open.length === 0
    ? null
    : stop(
        "blocked",
        `the task waits for ${open.join(", ")}, which ${open.length === 1 ? "is" : "are"} not done`,
        document.view.phase,
      );
}

function refuseOtherLoop(repo: string): null {
  const path = activeLoopFile(repo);
  if (path !== null) {
    throw new TaskPhaseError("locked", [
      errorFinding("TP_OTHER_LOOP", "another loop is active in the repo", {
        file: path,
        fix: "end it, or delete that file if it is left over",
      }),
    ]);
  }
  return null;
}

/** The file that says that another loop is at work in the repo; null where none does. */
export function activeLoopFile(repo: string): string | null {
  const path = join(repo, ".claude", "ralph-loop.local.md");
  const read = readRegularFile(path, 1024 * 1024);
  return read.kind === "file" && saysActiveLoop(read.bytes.toString("utf8")) ? path : null;
}

function ready({ place, history, ports }: TaskSession, contract: TaskContract, repo: string): null {
  return requireReady(contract, { ...place, lastPass: history.lastPass }, repo, ports.env);
}

import type { Question } from "../../documents/decisions.ts";
import { readIfGood, taskFiles } from "../../documents/read-task-file.ts";
import { type StateDocument, stateText } from "../../documents/state.ts";
import { renderAmount } from "../../pass/budget/task-budgets.ts";
import { writeBack } from "../../pass/checkpoint/write-back.ts";
import { holdsBack } from "../../pass/people/control-file.ts";
import { answerStop, liftCancel, type Reopening, reopenTask } from "../../pass/people/reopen.ts";
import { keptBrief, settleState } from "../../pass/people/settle-state.ts";
import { holdTask } from "../../pass/recovery/recover.ts";
import { refreshPages } from "../../pass/verdict/write-evidence.ts";
import { writeState } from "../../pass/verdict/write-state.ts";
import { findSpent, keyOf } from "../../rules/budgets.ts";
import type { TaskEvent } from "../../rules/events.ts";
import type { TaskHistory } from "../../rules/history.ts";
import { liftsCancel } from "../../rules/move-task.ts";
import { judgeReopening } from "../../rules/person-edit.ts";
import { isPhase, isWorkingPhase, type Phase, workingPhases } from "../../rules/phases.ts";
import { resumeLine } from "../../rules/resume-line.ts";
import { usageOf } from "../../rules/usage.ts";
import { findRepo, type TaskContract } from "../../task/load-contract.ts";
import { openIds } from "../../task/open-questions.ts";
import { type OpenTask, openBeforeLocking, openTask } from "../../task/open-task.ts";
import { unpackPasses } from "../../task/pack-passes.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { locateTask } from "../../task/records/task-place.ts";
import type { PassRequest } from "../../task/request.ts";
import { type Stop, stop, type TaskSession } from "../../task/session.ts";
import { usageError } from "../../text/errors.ts";
import { nearestWord } from "../../text/nearest.ts";
import { sha256 } from "../../text/sha256.ts";

type ResumedEvent = Extract<TaskEvent, { type: "resumed" }>;

export interface ResumeRequest extends Pick<PassRequest, "taskDir" | "config" | "repo"> {
  readonly to: string;
  readonly reason: string;
}

/** A person opens a stopped task again, or starts the journal of a task that has none. */
export async function resumeTask(request: ResumeRequest, ports: PassPorts): Promise<Stop> {
  const to = readPhase(request.to);
  const place = locateTask(request.taskDir, ports.cwd);
  const found = openBeforeLocking(place, request.config, ports);
  if (found !== null) findRepo(place, found.contract, request.repo, ports);
  return await holdTask(place, ports, async (session) => {
    const contract = openTask(place, request.config, ports);
    const result = await reopen(session, contract, to, request);
    // A refused call, too: one before it may have been killed between its event and the pages.
    if (session.history.phase !== null) refreshPages(session, contract);
    await writeBack(session, contract, findRepo(place, contract.contract, request.repo, ports));
    return { ...result, task: contract.contract.id, findings: session.findings };
  });
}

function readPhase(word: string): Phase {
  if (isPhase(word) && isWorkingPhase(word)) return word;
  const near = nearestWord(word, workingPhases);
  throw usageError(
    "TP_USAGE_PHASE",
    `--to takes a working phase: ${workingPhases.join(", ")}; found ${word.slice(0, 60)}`,
    {
      fix:
        near === null
          ? "only the runner sets done, blocked and needs_user_decision; write for example --to implement"
          : `did you mean ${near}?`,
    },
  );
}

async function reopen(session: TaskSession, contract: OpenTask, to: Phase, request: ResumeRequest): Promise<Stop> {
  const { reason } = request;
  if (session.history.state === null) return startJournal(session, contract, to, reason);
  const last = session.journal.events.at(-1);
  const repo = findRepo(session.place, contract.contract, request.repo, session.ports);
  const settled = await settleState(session, {
    task: contract,
    repo,
    questionWaitMs: null,
  });
  if (settled.kind === "stopped") return settled;
  const from = settled.document.view.phase;
  if (liftsCancel(session.history, from, to)) {
    liftCancel(session, settled.document, to, reason);
    return stop("ok", `the task continues in ${to}`, to, to);
  }
  if (last?.type === "adopted" && isWorkingPhase(from) && from !== to)
    return setPhase(session, contract, settled.document, { from, to, reason });
  if (from === to && last?.type === "resumed" && isOf(last, request, session)) {
    const { questions } = readIfGood(taskFiles.decisions, session.place.taskDir);
    return reopened(session, contract, last, questions);
  }
  const judgement = judgeReopening(from, to, session.history.stop !== null);
  if (judgement.kind === "refused") {
    if (session.history.cancelled !== null) {
      const line = resumeLine(contract.contract.id, from);
      return stop("rejected", `the task is cancelled in ${from}, and continues only there: ${line}`, from);
    }
    const paused = isWorkingPhase(from) ? holdsBack(session.place) : null;
    const why = `the task is only paused: ${paused} in ${from}`;
    return stop("rejected", paused === null ? judgement.reason : why, from);
  }
  return setPhase(session, contract, settled.document, { from, to, reason });
}

/** The event is what the same call, made once more, has accepted already. */
function isOf(event: ResumedEvent, { to, reason }: ResumeRequest, { ports }: TaskSession): boolean {
  return event.to === readPhase(to) && event.reason === ports.redactor.redact(reason);
}

/** The file is taken over as it is; what it claims to be proven is not. */
function startJournal(session: TaskSession, contract: OpenTask, to: Phase, reason: string): Stop {
  const { ports } = session;
  const document = contract.state;
  const from = document.view.phase;
  if (from === "done" && to !== "intake")
    return stop("rejected", "STATE.md says done, but no journal proves it; set it to intake", from);
  if (ports.redactor.findSecrets(stateText(document)).length > 0) {
    return stop("rejected", "STATE.md contains what looks like a secret; remove it first", from);
  }
  // A journal that a kill cuts off behind its first event must not have accepted a `done` that nothing proves.
  const phase = isWorkingPhase(from) ? from : "intake";
  const at = ports.now().toISOString();
  const adopted = writeState(session, document, {
    at,
    fields: { phase },
    event: (state) => ({ type: "adopted", at, phase, state, contract_sha256: contract.sha256 }),
    over: [sha256(stateText(document))],
    files: keptBrief(session, contract.sha256),
  });
  return { ...setPhase(session, contract, adopted, { from: phase, to, reason }), from };
}

function setPhase(session: TaskSession, contract: TaskContract, document: StateDocument, reopening: Reopening): Stop {
  const { place } = session;
  unpackPasses(place);
  const { files, questions } = answerStop(
    place,
    readIfGood(taskFiles.decisions, place.taskDir).questions,
    `continue: ${reopening.reason.replace(/\s+/g, " ")}`,
  );
  reopenTask(session, document, { ...reopening, files });
  return reopened(session, contract, reopening, questions);
}

function reopened(
  { history }: TaskSession,
  contract: TaskContract,
  { from, to }: Pick<Reopening, "from" | "to">,
  questions: readonly Question[],
): Stop {
  const more = `${spentBudgets(history, contract)}${stillAsked(contract.contract.id, questions)}`;
  return stop("ok", `${from} → ${to}${more}`, from, to);
}

/** An open question holds the task back in every phase. */
function stillAsked(id: string, questions: readonly Question[]): string {
  const [first, ...others] = openIds(questions);
  if (first === undefined) return "";
  const open = others.length === 0 ? `${first} is open` : `${first} and ${others.length} more are open`;
  return `; ${open}, and the next run waits for an answer: task-phase answer ${id} ${first} TEXT`;
}

/** A reopened task whose budget is spent would stop again at once: says which key to raise. */
function spentBudgets(history: TaskHistory, { contract }: TaskContract): string {
  const budget = { scope: "task" as const, limits: contract.budget, used: usageOf(history) };
  const spent = findSpent([budget], null).map(
    (one) =>
      `${one.kind === "passes" && one.limit === 1 ? "the one pass is" : `all ${renderAmount(one.kind, one.limit)} are`} spent, so raise \`${keyOf(one)}\``,
  );
  return spent.length === 0 ? "" : `; ${spent.join(" and ")} in the brief`;
}

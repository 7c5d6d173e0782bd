import { join } from "node:path";
import { foretellAt, judgeChecksAt, readyPlace } from "../../checks/require-ready.ts";
import { judgeRecord } from "../../documents/judge-record.ts";
import { findLostState } from "../../documents/lost-state.ts";
import { readTaskFile, taskFiles } from "../../documents/read-task-file.ts";
import { stateText } from "../../documents/state.ts";
import { hasBranch } from "../../git/remote.ts";
import { findProof } from "../../pages/files/proof.ts";
import { evidenceLink } from "../../pass/checkpoint/hosted.ts";
import { judgeEdit } from "../../pass/people/judge-hand-edit.ts";
import { noJournal } from "../../pass/people/resume-command.ts";
import { judgeHeadlines } from "../../pass/verdict/judge-headlines.ts";
import { addEvent } from "../../rules/add-event.ts";
import { renderMovedSince } from "../../rules/headline.ts";
import { emptyHistory, type TaskHistory } from "../../rules/history.ts";
import { isWorkingPhase } from "../../rules/phases.ts";
import { resumeLine } from "../../rules/resume-line.ts";
import type { StateView } from "../../rules/state-view.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { isLocked } from "../../store/lock.ts";
import { type ListedTasks, openDependencies } from "../../task/judge-dependencies.ts";
import { judgeReady } from "../../task/judge-ready.ts";
import { listOnce } from "../../task/list-tasks.ts";
import { findRepo, loadContract, type TaskContract } from "../../task/load-contract.ts";
import { openRecords } from "../../task/pack-passes.ts";
import { waitsForRecovery } from "../../task/records/anchor.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { passFolder, stands, type TaskPlace } from "../../task/records/task-place.ts";
import { openPreview, parseAccepted, type TaskSession } from "../../task/session.ts";
import { taskLockPath } from "../../task/task-lock.ts";
import { catchForeseen } from "../../text/attempt.ts";
import type { ExitName } from "../../text/exit-codes.ts";
import { errorFinding, type Finding, hasErrors, infoFinding, warningFinding } from "../../text/finding.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { findLostCommit, watchMoved } from "../views/moved-since.ts";
import { findHosted } from "./rebuild-evidence.ts";

/**
 * Reads and judges one task, and changes nothing: its files, its journal, and every recorded verdict, decided again
 * from the facts that pass.json has. `listed`: the tasks of the root, if more than one of them is checked.
 */
export async function checkTask(
  place: TaskPlace,
  configFlag: string | null,
  repoFlag: string | null,
  ports: PassPorts,
  listed: () => ListedTasks = listOnce(place.tasksRoot),
  movedOf: ReturnType<typeof watchMoved> = watchMoved({ ...ports, repo: repoFlag }),
) {
  const findings: Finding[] = [];
  /** The exits that the errors among these would cause. */
  const exits: ExitName[] = [];
  const attempt = <Value>(look: () => Value): Value | null =>
    catchForeseen(look, (error) => {
      findings.push(...error.findings);
      exits.push(error.exitName);
      return null;
    });
  const judge = (exitName: ExitName, found: readonly Finding[]) => {
    findings.push(...found);
    if (hasErrors(found)) exits.push(exitName);
  };
  const session = attempt(() => openPreview(place, ports));
  const contract = attempt(() => loadContract(place, configFlag, ports));
  if (contract !== null) {
    attempt(() => openDependencies(place, contract.contract, listed));
    findings.push(...foretellRefusal(place, contract, session, repoFlag, ports));
  }
  const { taskDir } = place;
  const steps = attempt(() => readTaskFile(taskFiles.steps, taskDir).items);
  const questions = attempt(() => readTaskFile(taskFiles.decisions, taskDir).questions);
  attempt(() => readTaskFile(taskFiles.evidence, taskDir));
  const lost = session === null || session.history.state === null ? null : findLostState(taskDir);
  const document = lost === null ? attempt(() => readTaskFile(taskFiles.state, taskDir).document) : null;
  if (lost !== null) judge("rejected", [...lost.findings, refusedNext(place, lost.reason)]);
  if (session === null) return { findings, exits, verdicts: 0 };
  const readable = exits.length === 0;
  const verdicts = session.journal.events.filter((event) => event.type === "verdict");
  const readRecord = openRecords(place);
  let earlier = emptyHistory;
  for (const event of session.journal.events) {
    if (event.type === "verdict")
      judge("rejected", attempt(() => checkVerdict(place, event, earlier, readRecord)) ?? []);
    earlier = addEvent(earlier, event);
  }
  judge("rejected", checkDone(session));
  // The pages of a run that was cut off may be ahead of its journal.
  const isCutOff = waitsForRecovery(place, ports);
  if (!isCutOff) judge("rejected", judgeHeadlines(session));
  const moved = await movedOf({ place, contract, history: session.history });
  if (moved !== null)
    findings.push(infoFinding("TP_MOVED_SINCE", `done, ${renderMovedSince(moved)}`, { file: place.taskDir }));
  findings.push(...judgeBrief(session, contract));
  findings.push(...(await findLostCommit({ place, contract, history: session.history }, repoFlag, ports)));
  if (document !== null && contract !== null) findings.push(...(await judgeLink(session, contract, document.view)));
  const stored = session.history.state;
  if (isCutOff) {
    const reason = "the last run was cut off; the next one recovers it";
    // The record of a pass that runs looks the same.
    if (!isLocked(taskLockPath(place)))
      findings.push(warningFinding("TP_INTERRUPTED", reason, { file: place.taskDir }));
  } else if (readable && document !== null && contract !== null && stored !== null && stored !== stateText(document)) {
    const accepted = attempt(() => parseAccepted(stored, place.journal));
    const repo = attempt(() => findRepo(place, contract.contract, repoFlag, ports));
    if (repo !== null && accepted !== null && steps !== null && questions !== null) {
      const input = { repo, task: { ...contract, steps, questions } };
      const judgement = await judgeEdit(session, accepted, document, input);
      judge("rejected", [
        judgement.kind === "accepted"
          ? infoFinding("TP_STATE_EDITED", edited, { file: place.state })
          : refusedNext(place, judgement.reason),
      ]);
    }
  } else if (document !== null && stored === null && document.view.phase !== "intake") {
    judge("data", [noJournal(place, document.view.phase, null)]);
  }
  return { findings, exits, verdicts: verdicts.length };
}

const edited = "STATE.md was edited after it was last accepted; the next run accepts the edit";

function refusedNext({ state }: TaskPlace, reason: string): Finding {
  const message = `STATE.md is not as it was last accepted, and the next run refuses the edit: ${reason}`;
  const fix = "edit it again so that it is legal; otherwise the next run restores the last accepted STATE.md";
  return errorFinding("TP_EDIT_REFUSED", message, { file: state, fix });
}

/** What the next run would refuse, as warnings: the missing part may be on another machine only. */
function foretellRefusal(
  place: TaskPlace,
  contract: TaskContract,
  session: TaskSession | null,
  repoFlag: string | null,
  ports: PassPorts,
): Finding[] {
  if (session === null || !isWorkingPhase(session.history.phase ?? "intake")) return [];
  const at = readyPlace(place, session.history.lastPass);
  // A run asks a person about checks that are gone after the first pass, and asks nothing else again.
  const ready = judgeReady(contract, { ...at, lastPass: 0 }).filter(
    ({ code }) => at.lastPass === 0 || code === "TP_NO_CHECK",
  );
  const found = [...ready, ...judgeRepo(place, contract, repoFlag, ports)];
  const troubles = at.lastPass === 0 ? foretellAt(at, contract, repoFlag, ports) : [];
  return [...found, ...judgeChecksAt(at, contract, repoFlag, ports), ...troubles].map((finding) =>
    warningFinding(finding.code, finding.message, finding),
  );
}

/** What is wrong with the repo that is named; nothing if none is named or found: a run may name one with --repo. */
function judgeRepo(
  place: TaskPlace,
  { contract }: TaskContract,
  repoFlag: string | null,
  ports: PassPorts,
): readonly Finding[] {
  return catchForeseen(
    () => {
      findRepo(place, contract, repoFlag, ports);
      return [];
    },
    ({ findings }) => findings.filter(({ code }) => code === "TP_REPO"),
  );
}

function checkVerdict(
  place: TaskPlace,
  event: VerdictEvent,
  earlier: TaskHistory,
  readRecord: ReturnType<typeof openRecords>,
): Finding[] {
  const file = join(passFolder(place, event.pass), "pass.json");
  const bad = (code: string, message: string) => [
    errorFinding(code, message, { file, fix: "restore it, for example from git; only task-phase writes it" }),
  ];
  const read = readRecord(event.pass);
  if (read.kind !== "file")
    return bad("TP_RECORD_MISSING", `the record of pass ${event.pass} is missing (${read.kind})`);
  const judgement = judgeRecord(read.bytes, event, earlier);
  return judgement.kind === "holds" ? [] : bad(judgement.code, judgement.message);
}

/** `done` is written only beside its proof. */
function checkDone(session: TaskSession): Finding[] {
  if (session.history.phase !== "done") return [];
  const { lastVerdict } = session.history;
  const proven = lastVerdict !== null && lastVerdict.verdict === "accepted" && lastVerdict.to === "done";
  if (!proven) {
    const message = "the journal says done, but no accepted verdict sets it";
    const fix = "restore the journal, for example from git; only task-phase writes it";
    return [errorFinding("TP_DONE_UNPROVEN", message, { file: session.place.journal, fix })];
  }
  const message = "the task is done, but this part of its proof is missing";
  const fix = "task-phase evidence rebuilds the pages";
  return [session.place.summary, session.place.page, session.place.evidence].flatMap((file) =>
    stands(file) ? [] : errorFinding("TP_PROOF_MISSING", message, { file, fix }),
  );
}

/** A wish that was written after `done` is part of no pass. */
function judgeBrief({ place, history }: TaskSession, task: TaskContract | null): Finding[] {
  const { phase, lastVerdict } = history;
  if (phase !== "done" || lastVerdict === null || task === null) return [];
  if (lastVerdict.contract_sha256 === task.sha256) return [];
  const fix = `for another wish: ${resumeLine(task.contract.id, "intake")}`;
  const message = "the brief was edited since the task was done, and nothing was done for that edit";
  return [infoFinding("TP_BRIEF_CHANGED", message, { file: place.readme, fix })];
}

/** A full Evidence link that leads to a branch which is gone, as after a merge. */
async function judgeLink(
  session: Pick<TaskSession, "place" | "history" | "ports">,
  contract: TaskContract,
  view: StateView,
): Promise<Finding[]> {
  const { place } = session;
  const said = view.fields.evidence_link;
  if (!said.includes("://") || contract.config.evidence.baseUrl !== null) return [];
  const branch = session.history.lastVerdict?.code?.branch ?? null;
  const hosted = await findHosted(session, contract);
  if (branch === null || hosted === null || (await hasBranch(hosted.repo, branch, session.ports.env))) return [];
  const { link_target: target } = findProof(place.taskDir, view.fields.evidence_location);
  if (evidenceLink(place, target, contract.config, hosted) === said) return [];
  const fix = `task-phase evidence ${quoteWord(contract.contract.id)} brings it up to date`;
  const message = `the Evidence link leads to the branch ${branch}, which is gone`;
  return [warningFinding("TP_EVIDENCE_LINK", message, { file: place.state, fix })];
}

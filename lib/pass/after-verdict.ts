import { cooldownNow } from "../agents/rotation/model-notes.ts";
import type { ModelOutcome } from "../agents/run/run-model.ts";
import { saveSeen } from "../git/save-seen.ts";
import { sendNews } from "../notify/events/send-news.ts";
import type { Held } from "../rules/held.ts";
import { findLimit } from "../rules/model-end.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import { commitsIn } from "../rules/words.ts";
import { machineFault } from "../store/error-code.ts";
import { saveTrees } from "../task/known-trees.ts";
import type { OpenTask } from "../task/open-task.ts";
import { seenFile, waitsForRecovery } from "../task/records/anchor.ts";
import type { FenceRefusal, PassPorts } from "../task/records/ports.ts";
import { evidenceJson, type PassReport } from "../task/request.ts";
import type { HeldTask } from "../task/session.ts";
import { hasCode } from "../text/errors.ts";
import { errorFinding, warningFinding } from "../text/finding.ts";
import { attestTask } from "./attest/attest-task.ts";
import { branchSwitched, findHead, recordHead, renderMove } from "./checkpoint/head-moves.ts";
import { findDecisionsEditor, findEvidenceUrl } from "./checkpoint/hosted.ts";
import { signerOf } from "./checkpoint/signing-key.ts";
import { writeBack } from "./checkpoint/write-back.ts";
import { commitVerdict } from "./commit-verdict.ts";
import type { PassCall, PreparedPass } from "./prepared-pass.ts";
import { modelFindings } from "./review/model-findings.ts";
import type { ValidatedPass } from "./validate.ts";
import { holdBack } from "./verdict/hold-back.ts";
import { trimToProof, writePages } from "./verdict/write-evidence.ts";

/** A verdict that is durable, and the pass that led to it. */
export interface JudgedPass {
  readonly event: VerdictEvent;
  readonly outcome: ModelOutcome;
  readonly validated: ValidatedPass;
}

/**
 * What follows a verdict while the task is locked: files of the task, git, the cooldown that machines share, caches.
 * `refused`: why the verdict is not the task's, for example since another machine's was pushed first; null if it is.
 * `told`: how the model went wrong, for people.
 */
export async function afterVerdict(prepared: PreparedPass, judged: JudgedPass, ports: PassPorts) {
  const { session, model, repo } = prepared;
  const refused = await deliverVerdict(prepared, judged, ports);
  const cooldown = model === null || findLimit(judged.event) === null ? null : cooldownNow(session, model.name);
  if (cooldown !== null) {
    const until = new Date(cooldown.until * 1_000);
    await ports.shared?.cooled(cooldown.model, { until, reason: cooldown.reason });
  }
  if (ports.fence === undefined) await recordHead(repo, session.anchor.folder, ports);
  saveTrees(session.place, ports);
  saveSeen(seenFile(repo, ports), repo);
  const ended = { event: judged.event, cooldown };
  return { refused, told: model === null ? [] : modelFindings(model, judged.outcome, ended, ports) };
}

/**
 * The verdict is durable: if a disk refuses one of these steps, that is a warning beside it. With a fence it is durable once it
 * is on the branch, and is not told before that.
 */
async function deliverVerdict(
  prepared: PreparedPass,
  { event, validated }: JudgedPass,
  ports: PassPorts,
): Promise<FenceRefusal | null> {
  const { session, contract, repo, watch } = prepared;
  try {
    watch.journalObeyed();
    if (event.verdict === "interrupted" && watch.aborted()) holdBack(session, abortedIn(event), contract);
    // A commit of a STATE.md that is still the old one would be no commit of this pass; the next one has both.
    if (waitsForRecovery(session.place, ports))
      return ports.fence === undefined ? null : notYetThere(prepared, "its files could not all be written");
    if (event.to === "done") await attestDone(prepared);
    if (contract.config.keep === "proof") trimToProof(session, contract.contract);
    await writeBack(session, contract, repo);
    if (await isSwitched(prepared)) return null;
    return await commitVerdict(prepared, event, validated, ports);
  } catch (error) {
    const known = hasCode(error, "TP_DISK") ? error : machineFault(error);
    if (known === null) throw error;
    if (ports.fence !== undefined) return notYetThere(prepared, known.message);
    const message = `the verdict of pass ${prepared.pass} is accepted and durable, but a later step failed: ${known.message}`;
    const fix = known.findings[0]?.fix ?? null;
    session.findings.push(warningFinding("TP_UNFINISHED", message, { file: session.place.taskDir, fix }));
    return null;
  }
}

/** The working tree has it, and the next run of this machine pushes it. */
function notYetThere({ session, pass }: PreparedPass, why: string): FenceRefusal {
  const message = `the verdict of pass ${pass} could not be put on the branch yet: ${why}`;
  const fix = "make room, then run it again on this machine: the work is in its working tree";
  return {
    exitName: "failure",
    findings: [errorFinding("TP_UNFINISHED", message, { file: session.place.taskDir, fix })],
  };
}

/** With commits: whether HEAD is on another branch than when the pass began. Nothing is committed there. */
async function isSwitched({ session, contract, repo, pass, before }: PreparedPass): Promise<boolean> {
  const was = commitsIn(contract.config.checkpoint) ? before.head : null;
  const now = was === null ? null : await findHead(repo, session.ports);
  if (was === null || now === null || was.ref === now.ref) return false;
  const message = `somebody ${renderMove(was, now)} during pass ${pass}; nothing was committed there`;
  const fix = "switch back, or start again on the branch that is meant: the next run of the task commits what is left";
  session.findings.push(errorFinding(branchSwitched, message, { file: repo, fix }));
  return true;
}

function abortedIn({ pass }: VerdictEvent): Held {
  const why = `a person aborted pass ${pass}`;
  return { standing: "runnable", brief: why, why };
}

/** With `sign: ssh`, a task that is done gets the runner's signed statement, and pages that link it. */
async function attestDone({ session, contract: { contract, config }, repo }: PreparedPass): Promise<void> {
  const findSigner = signerOf({ sign: config.sign, repo, place: session.place }, session.ports);
  if (findSigner === null) return;
  const findings = await attestTask(session, contract.id, findSigner);
  session.findings.push(...findings);
  if (findings.length === 0) writePages(session, contract);
}

/** The result of a call that had the task's lock. */
export interface CallEnd {
  readonly session: HeldTask;
  readonly task: OpenTask;
  readonly report: PassReport;
}

/**
 * What follows a call when nothing is locked any more: where the evidence is, the webhook, the trace. `known`: how many
 * events the journal had before the call.
 */
export async function afterCall(
  { place, ports }: PassCall,
  { session, task, report }: CallEnd,
  known: number,
): Promise<PassReport> {
  const events = report.details.unkept ? [] : session.journal.events.slice(known);
  const evidenceUrl = await findEvidenceUrl(place, task.config, ports);
  const evidence = evidenceJson(report.evidence.path, evidenceUrl);
  const located = { ...report, evidence, details: { ...report.details, evidenceUrl, noted: events.length } };
  const findEditor = () => findDecisionsEditor(place, task.config, ports);
  const told = await sendNews(task, located, { place, events, findEditor }, ports);
  await ports.ended?.({ ...located, reason: ports.redactor.redact(located.reason) });
  return { ...located, findings: [...located.findings, ...told] };
}

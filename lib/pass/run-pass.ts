import { seenFile, waitsForRecovery } from "../anchor/anchor.ts";
import { type PassPorts, type StageTrace, startTrace } from "../anchor/ports.ts";
import { countEvents } from "../anchor/task-journal.ts";
import { locateTask, type TaskPlace } from "../anchor/task-place.ts";
import { attestTask } from "../attest/attest-task.ts";
import { loadConfig } from "../config/load-config.ts";
import type { NotifyConfig } from "../config/notify-schema.ts";
import { requireTrust } from "../config/trust.ts";
import { keepSeen } from "../git/keep-seen.ts";
import { signerOf } from "../keep/git-checkpoint.ts";
import { findDecisionsEditor, findEvidenceUrl } from "../keep/hosted.ts";
import { writeBack } from "../keep/write-back.ts";
import { decide } from "../machine/decide.ts";
import { findRest } from "../machine/model-end.ts";
import type { VerdictEvent } from "../machine/verdict-event.ts";
import { notifyRefusal } from "../news/notify-verdict.ts";
import { notingEarlyRefusal, RefusedError } from "../news/record-refusal.ts";
import { sendNews } from "../news/send-news.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { warningFinding } from "../report/finding.ts";
import { keepFirst } from "../report/keep-first.ts";
import { modelFindings } from "../review/model-findings.ts";
import { cooldownNow } from "../rotation/model-notes.ts";
import { machineFault } from "../store/error-code.ts";
import { keepTrees } from "../task/known-trees.ts";
import { findRepo } from "../task/load-contract.ts";
import { lockTask } from "../task/locks.ts";
import { openBeforeLocking } from "../task/open-task.ts";
import type { PassReport, PassRequest } from "../task/request.ts";
import { leadsToRepair, writeTickets } from "../verdict/tickets-file.ts";
import { trimToProof, writePages } from "../verdict/trim-to-proof.ts";
import { beginRecord, checkpoint } from "./checkpoint.ts";
import { execute } from "./exec.ts";
import { keepInGit } from "./keep-in-git.ts";
import { passReport, stoppedReport, unkeptReport } from "./pass-report.ts";
import { beginOf, type HeldPass, prepare } from "./prep.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { previewPass } from "./preview.ts";
import { validate } from "./validate.ts";

/** One pass of one model on one task, and all that the runner does around it. */
export async function runPass(request: PassRequest, ports: PassPorts): Promise<PassReport> {
  const trace = startTrace(ports);
  const startedAt = ports.now();
  trace.enter("PLAN");
  const place = locateTask(request.taskDir, ports.cwd, (taskDir) => waitsForRecovery({ taskDir }, ports));
  if (ports.fence === undefined) requireTrust(place.tasksRoot, ports);
  trace.enter("PREP");
  if (request.dryRun) return await previewPass(place, request, trace, ports, startedAt);
  const found = await tellingRefusal(place, request, ports, () =>
    notingEarlyRefusal(place, ports, () => {
      const opened = openBeforeLocking(place, request.config, ports);
      if (opened !== null) findRepo(place, opened.contract, request.repo, ports);
      return opened;
    }),
  );
  const known = found === null ? countEvents(place) : found.journal.seq;
  const { report, session, task } = await tellingRefusal(place, request, ports, () =>
    runLocked(place, request, trace, ports, startedAt),
  );
  const events = report.unkept === true ? [] : session.journal.events.slice(known);
  const located = { ...report, evidenceUrl: await findEvidenceUrl(place, task.config, ports) };
  const findEditor = () => findDecisionsEditor(place, task.config, ports);
  const told = await sendNews(task, located, { place, events, findEditor }, ports);
  await ports.ended?.({ ...located, reason: ports.redactor.redact(located.reason) });
  return { ...located, noted: events.length, findings: [...located.findings, ...told] };
}

/** The result of a call that held the task. */
interface RunEnd extends Pick<HeldPass, "session" | "task"> {
  readonly report: PassReport;
}

/** Tells the webhook why the task was refused, when nothing is locked any more. */
async function tellingRefusal<Value>(
  place: TaskPlace,
  { config }: PassRequest,
  ports: PassPorts,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RefusedError) || !error.isNews) throw error;
    const notify = error.contract?.config.notify ?? readNotify(place, config, ports);
    const told = notify === null ? [] : await notifyRefusal(notify, error, place.taskDir, ports);
    throw told.length === 0
      ? error
      : new TaskPhaseError(error.exitName, [...error.findings, ...told], { cause: error });
  }
}

/** Where the webhook is, if the brief is wrong and task-phase.yaml is not; else null. */
function readNotify({ taskDir }: TaskPlace, configFlag: string | null, ports: PassPorts): NotifyConfig | null {
  const { env, home, cwd } = ports;
  try {
    return loadConfig({ configFlag, env, home, cwd, taskDir }).notify;
  } catch (error) {
    if (error instanceof TaskPhaseError) return null;
    throw error;
  }
}

async function runLocked(
  place: TaskPlace,
  request: PassRequest,
  trace: StageTrace,
  ports: PassPorts,
  startedAt: Date,
): Promise<RunEnd> {
  const locks = lockTask(place, ports);
  const held = async (): Promise<RunEnd> => {
    const { session, task, prepared } = await prepare(place, request, ports, locks);
    if (prepared.kind === "stopped")
      return { session, task, report: stoppedReport(place, prepared, trace, ports, startedAt) };
    const report = await keepFirst(
      () => carryThrough(prepared, request, trace, ports, startedAt),
      () => prepared.watch.stop(),
    );
    keepTrees(place, ports);
    keepSeen(seenFile(prepared.repo, ports), prepared.repo);
    return { session, task, report };
  };
  return await keepFirst(held, () => locks.release());
}

async function carryThrough(
  prepared: PreparedPass,
  request: PassRequest,
  trace: StageTrace,
  ports: PassPorts,
  startedAt: Date,
): Promise<PassReport> {
  trace.enter("EXEC");
  if (!prepared.session.ports.signal.aborted)
    ports.tell("EXEC", `pass ${prepared.pass}: ${prepared.model.name} works in ${prepared.document.view.phase}`);
  ports.began?.(beginOf(prepared.session, prepared));
  const { watch } = prepared;
  watch.modelBegins(trace);
  const outcome = await execute(prepared);
  watch.modelEnded();
  trace.enter("VALIDATE");
  const validated = await validate(prepared, outcome);
  trace.enter("DIAGNOSE");
  const decision = decide(validated.before, validated.proposal, validated.facts, prepared.policy);
  beginRecord(prepared, validated, decision);
  if (leadsToRepair(decision)) trace.enter("REPAIR");
  writeTickets(prepared, decision, prepared.syncs);
  trace.enter("CHECKPOINT");
  const event = await checkpoint(prepared, outcome, validated, decision, trace, startedAt);
  const refused = await afterVerdict(prepared, async () => {
    watch.journalObeyed();
    // A commit of a STATE.md that is still the old one would be no commit of this pass; the next one has both.
    if (waitsForRecovery(prepared.session.place, ports)) return null;
    await attestDone(prepared, event);
    if (prepared.contract.config.keep === "proof") trimToProof(prepared.session, prepared.contract.contract);
    await writeBack(prepared.session, prepared.contract, prepared.repo);
    return await keepInGit(prepared, event, validated, ports);
  });
  const cooldown = findRest(event) === null ? null : cooldownNow(prepared.session, prepared.model.name);
  if (cooldown !== null)
    await ports.shared?.rested(cooldown.model, { until: new Date(cooldown.until * 1_000), reason: cooldown.reason });
  const told = modelFindings(prepared.model, outcome, { event, cooldown }, ports);
  const report = passReport(prepared, request, { decision, event, outcome, told }, trace, ports);
  return refused === null ? report : unkeptReport(report, refused);
}

/** With `sign: ssh`, a task that is done gets the runner's signed statement, and pages that link it. */
async function attestDone({ session, contract, repo }: PreparedPass, { to }: VerdictEvent): Promise<void> {
  const { contract: task, config } = contract;
  const findSigner = signerOf({ sign: config.sign, repo, place: session.place }, session.ports);
  if (to !== "done" || findSigner === null) return;
  const findings = await attestTask(session, task.id, findSigner);
  session.findings.push(...findings);
  if (findings.length === 0) writePages(session, task);
}

/** The verdict is durable: what a disk refuses from here on is told beside it, and never in its place. */
async function afterVerdict<Value>(
  { session, pass }: PreparedPass,
  act: () => Promise<Value | null>,
): Promise<Value | null> {
  try {
    return await act();
  } catch (error) {
    const fault = machineFault(error);
    const known = error instanceof TaskPhaseError && error.findings[0]?.code === "TP_DISK" ? error : fault;
    if (known === null) throw error;
    const message = `the verdict of pass ${pass} is accepted and durable, but a later step failed: ${known.message}`;
    const fix = known.findings[0]?.fix ?? null;
    session.findings.push(warningFinding("TP_UNFINISHED", message, { file: session.place.taskDir, fix }));
    return null;
  }
}

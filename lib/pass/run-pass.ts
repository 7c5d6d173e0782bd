import { checkpoint } from "./checkpoint.ts";
import { diagnose } from "./diagnose.ts";
import { execute } from "./exec.ts";
import { withUrl } from "./hosted.ts";
import { keepInGit } from "./keep-in-git.ts";
import { lockTask } from "./locks.ts";
import { lookBeforeWorking } from "./look-before.ts";
import { modelFindings } from "./model-findings.ts";
import { dryReport, passReport, stoppedReport } from "./pass-report.ts";
import { type PassPorts, type StageTrace, startTrace } from "./ports.ts";
import { prepare } from "./prep.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { waitsForRecovery } from "./recover.ts";
import type { PassReport, PassRequest } from "./request.ts";
import { requireSandbox } from "./require-sandbox.ts";
import { locateTask, type TaskPlace } from "./task-place.ts";
import { countEvents, tellNews } from "./tell-news.ts";
import { validate } from "./validate.ts";

/** One pass of one model on one task, and all that the runner does around it. */
export async function runPass(request: PassRequest, ports: PassPorts): Promise<PassReport> {
  const trace = startTrace(ports.now);
  const startedAt = ports.now();
  trace.enter("PLAN");
  const place = locateTask(request.taskDir, ports.cwd, (taskDir) => waitsForRecovery({ taskDir }, ports));
  trace.enter("PREP");
  const seen = request.dryRun ? null : lookBeforeWorking(place, request, ports);
  if (seen !== null) requireSandbox(place, seen.contract, seen.repo, request, ports);
  if (request.dryRun) return await runLocked(place, request, trace, ports, startedAt);
  const eventsBefore = countEvents(place);
  const report = await withUrl(await runLocked(place, request, trace, ports, startedAt), place, request, ports);
  const told = await tellNews(place, request, report, eventsBefore, ports);
  const noted = Math.max(0, countEvents(place) - eventsBefore);
  return { ...report, noted, findings: [...report.findings, ...told] };
}

async function runLocked(
  place: TaskPlace,
  request: PassRequest,
  trace: StageTrace,
  ports: PassPorts,
  startedAt: Date,
): Promise<PassReport> {
  const locks = request.dryRun ? null : lockTask(place, ports);
  try {
    const prepared = await prepare(place, request, ports, locks);
    if (prepared.kind === "stopped") return stoppedReport(place, prepared, trace, ports, startedAt);
    if (request.dryRun) return dryReport(place, prepared, trace, ports, startedAt);
    try {
      return await carryThrough(prepared, request, trace, ports, startedAt);
    } finally {
      prepared.watch?.stop();
    }
  } finally {
    locks?.release();
  }
}

async function carryThrough(
  prepared: PreparedPass,
  request: PassRequest,
  trace: StageTrace,
  ports: PassPorts,
  startedAt: Date,
): Promise<PassReport> {
  trace.enter("EXEC");
  ports.tell("EXEC", `pass ${prepared.pass}: ${prepared.model.name} works in ${prepared.document.view.phase}`);
  ports.began?.({
    task: prepared.contract.contract.id,
    pass: prepared.pass,
    phase: prepared.document.view.phase,
    model: prepared.model.name,
    spentUsd: prepared.session.history.spend.knownUsd,
  });
  const { watch } = prepared;
  watch?.modelBegins(trace);
  const outcome = await execute(prepared);
  watch?.modelEnded();
  trace.enter("VALIDATE");
  const validated = await validate(prepared, outcome);
  trace.enter("DIAGNOSE");
  const diagnosed = diagnose(prepared, validated);
  if (diagnosed.verdict === "redirected") trace.enter("REPAIR");
  trace.enter("CHECKPOINT");
  const { decision, event } = await checkpoint(prepared, outcome, validated, trace, startedAt);
  watch?.journalObeyed();
  await keepInGit(prepared, event, validated.changedPaths, ports);
  const told = modelFindings(prepared.model, outcome, event, decision.verdict, ports);
  return passReport(prepared, request, { decision, event, outcome, told }, trace, ports);
}

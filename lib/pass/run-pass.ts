import type { CheckResult } from "../machine/facts.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { checkpoint } from "./checkpoint.ts";
import { nextEligibleAt } from "./choose-model.ts";
import { diagnose } from "./diagnose.ts";
import { execute } from "./exec.ts";
import { lockTask } from "./locks.ts";
import { lookBeforeWorking } from "./look-before.ts";
import { modelFindings } from "./model-findings.ts";
import { type PassPorts, type StageTrace, startTrace } from "./ports.ts";
import { prepare, signalName } from "./prep.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { waitsForRecovery } from "./recover.ts";
import type { PassReport, PassRequest } from "./request.ts";
import { requireSandbox } from "./require-sandbox.ts";
import type { Stop } from "./session.ts";
import { locateTask, stands, type TaskPlace } from "./task-place.ts";
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
  const locks = request.dryRun ? null : lockTask(place, ports);
  try {
    const prepared = await prepare(place, request, ports, locks);
    if (prepared.kind === "stopped") return stoppedReport(place, prepared, trace, ports, startedAt);
    if (request.dryRun) return dryReport(place, prepared, trace, ports, startedAt);
    return await carryThrough(place, prepared, request, trace, ports, startedAt);
  } finally {
    locks?.release();
  }
}

async function carryThrough(
  place: TaskPlace,
  prepared: PreparedPass,
  request: PassRequest,
  trace: StageTrace,
  ports: PassPorts,
  startedAt: Date,
): Promise<PassReport> {
  trace.enter("EXEC");
  ports.tell("EXEC", `pass ${prepared.pass}: ${prepared.model.name} works in ${prepared.document.view.phase}`);
  const outcome = await execute(prepared);
  trace.enter("VALIDATE");
  const validated = await validate(prepared, outcome);
  trace.enter("DIAGNOSE");
  const diagnosed = diagnose(prepared, validated);
  if (diagnosed.verdict === "redirected") trace.enter("REPAIR");
  trace.enter("CHECKPOINT");
  const { decision, event } = await checkpoint(prepared, outcome, validated, trace, startedAt);
  const told = modelFindings(prepared.model, outcome, event, decision.verdict, ports);
  const interrupted = decision.verdict === "interrupted";
  return {
    task: prepared.contract.contract.id,
    taskDir: place.taskDir,
    pass: prepared.pass,
    from: decision.from,
    proposed: decision.proposed,
    to: decision.to,
    verdict: decision.verdict,
    reason: decision.escalation === null ? decision.reason : `${decision.reason}. ${decision.escalation.blockers}`,
    exitName: interrupted ? signalName(ports) : (decision.exit_name satisfies ExitName),
    model: prepared.model.name,
    durationMs: event.duration_ms,
    costUsd: outcome.costUsd,
    tokens: outcome.tokens,
    progress: decision.progress,
    validators: event.checks?.results ?? [],
    tickets: decision.tickets,
    overridden: event.overridden,
    findings: [...prepared.session.findings, ...told],
    evidence: place.page,
    nextEligibleAt: event.end.kind === "limited" ? nextEligibleAt(prepared.session, prepared.contract, request) : null,
    stages: trace.list(),
    prompt: null,
  };
}

function stoppedReport(place: TaskPlace, stop: Stop, trace: StageTrace, ports: PassPorts, startedAt: Date): PassReport {
  return {
    ...emptyReport(place, trace, ports, startedAt),
    from: stop.from,
    to: stop.to,
    reason: stop.reason,
    exitName: stop.exitName,
    task: stop.task,
    findings: stop.findings,
    nextEligibleAt: stop.nextEligibleAt,
  };
}

function dryReport(
  place: TaskPlace,
  prepared: PreparedPass,
  trace: StageTrace,
  ports: PassPorts,
  startedAt: Date,
): PassReport {
  const phase = prepared.document.view.phase;
  return {
    ...emptyReport(place, trace, ports, startedAt),
    task: prepared.contract.contract.id,
    pass: prepared.pass,
    from: phase,
    model: prepared.model.name,
    reason: `dry run: pass ${prepared.pass} would run ${prepared.model.name} in ${phase}`,
    findings: prepared.session.findings,
    prompt: prepared.prompt,
  };
}

const noChecks: readonly CheckResult[] = [];

function emptyReport(place: TaskPlace, trace: StageTrace, ports: PassPorts, startedAt: Date): PassReport {
  return {
    task: null,
    taskDir: place.taskDir,
    pass: null,
    from: null,
    proposed: null,
    to: null,
    verdict: null,
    reason: "",
    exitName: "ok",
    model: null,
    durationMs: ports.now().getTime() - startedAt.getTime(),
    costUsd: null,
    tokens: { input: null, output: null },
    progress: [],
    validators: noChecks,
    tickets: [],
    overridden: [],
    findings: [],
    evidence: stands(place.page) ? place.page : null,
    nextEligibleAt: null,
    stages: trace.list(),
    prompt: null,
  };
}

import type { VerdictEvent } from "../machine/events.ts";
import type { CheckResult, Decision } from "../machine/facts.ts";
import { isWorkingPhase } from "../machine/phases.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { checkpoint } from "./checkpoint.ts";
import { nextEligibleAt } from "./choose-model.ts";
import { diagnose } from "./diagnose.ts";
import { execute } from "./exec.ts";
import { gitCheckpoint } from "./git-checkpoint.ts";
import { lockTask } from "./locks.ts";
import { lookBeforeWorking } from "./look-before.ts";
import { modelFindings } from "./model-findings.ts";
import { type PassPorts, type StageTrace, signalName, startTrace } from "./ports.ts";
import { prepare } from "./prep.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { waitsForRecovery } from "./recover.ts";
import type { PassReport, PassRequest } from "./request.ts";
import { requireSandbox } from "./require-sandbox.ts";
import type { Stop } from "./session.ts";
import { locateTask, stands, type TaskPlace } from "./task-place.ts";
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
  const report = await runLocked(place, request, trace, ports, startedAt);
  const told = await tellNews(place, request, report, eventsBefore, ports);
  return { ...report, findings: [...report.findings, ...told] };
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
      return await carryThrough(place, prepared, request, trace, ports, startedAt);
    } finally {
      prepared.watch?.stop();
    }
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
  return {
    task: prepared.contract.contract.id,
    taskDir: place.taskDir,
    pass: prepared.pass,
    from: decision.from,
    proposed: decision.proposed,
    to: decision.to,
    verdict: decision.verdict,
    reason: decision.escalation === null ? decision.reason : `${decision.reason}. ${decision.escalation.blockers}`,
    exitName: exitOf(decision, ports, watch?.aborted() === true),
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
    escalated: decision.escalation?.cause ?? null,
    end: event.end,
    nextEligibleAt: event.end.kind === "limited" ? nextEligibleAt(prepared.session, prepared.contract, request) : null,
    stages: trace.list(),
    prompt: null,
    aborted: watch?.aborted() === true,
  };
}

/** The very last write of a pass: what is written later would stand uncommitted. */
async function keepInGit(
  { session, contract, repo, guarded }: PreparedPass,
  event: VerdictEvent,
  changed: readonly { readonly path: string }[],
  ports: PassPorts,
): Promise<void> {
  if (guarded === null) return;
  const verdicts = session.journal.events.filter((each): each is VerdictEvent => each.type === "verdict");
  const kept = await gitCheckpoint(
    {
      mode: contract.config.checkpoint,
      place: session.place,
      anchor: guarded.anchor,
      repo,
      task: contract.contract.id,
      event,
      changedPaths: changed.map(({ path }) => path),
      earlier: verdicts.filter(({ pass }) => pass < event.pass),
    },
    ports,
  );
  session.findings.push(...kept.findings);
}

/** A person's ABORT that came when there was nothing to end any more still ends this call. */
function exitOf({ verdict, escalation, exit_name, to }: Decision, ports: PassPorts, aborted: boolean): ExitName {
  if (verdict === "interrupted" && escalation === null) return signalName(ports);
  return aborted && isWorkingPhase(to) ? "paused" : exit_name;
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
    escalated: stop.escalated,
    nextEligibleAt: stop.nextEligibleAt,
    aborted: stop.aborted === true,
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
    escalated: null,
    end: null,
    nextEligibleAt: null,
    stages: trace.list(),
    prompt: null,
  };
}

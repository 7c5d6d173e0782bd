import type { FenceRefusal, PassPorts, StageTrace } from "../anchor/ports.ts";
import { passName, stands, type TaskPlace } from "../anchor/task-place.ts";
import { renderOverBounds } from "../machine/bounds.ts";
import type { CheckResult } from "../machine/check-run.ts";
import type { Decision } from "../machine/decision.ts";
import { exitOfCall } from "../machine/exits.ts";
import { headlineOf } from "../machine/headline.ts";
import { findRest } from "../machine/model-end.ts";
import { phases } from "../machine/phases.ts";
import { isProven } from "../machine/standing-done.ts";
import type { VerdictEvent } from "../machine/verdict-event.ts";
import type { ModelOutcome } from "../models/run/run-model.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { nextEligibleAt } from "../rotation/choose-model.ts";
import type { PassReport, PassRequest } from "../task/request.ts";
import { type HeldTask, type Stop, stop } from "../task/session.ts";
import type { Plan, PreparedPass } from "./prepared-pass.ts";

/** The result of a pass. */
export interface PassEnd {
  readonly decision: Decision;
  readonly event: VerdictEvent;
  readonly outcome: ModelOutcome;
  /** How the model went wrong, for people. */
  readonly told: readonly Finding[];
}

/** The report of a pass that has its verdict. */
export function passReport(
  prepared: PreparedPass,
  request: PassRequest,
  { decision, event, outcome, told }: PassEnd,
  trace: StageTrace,
  ports: PassPorts,
): PassReport {
  const { place } = prepared.session;
  const aborted = prepared.watch.aborted();
  return {
    task: prepared.contract.contract.id,
    taskDir: place.taskDir,
    pass: prepared.pass,
    from: decision.from,
    proposed: decision.proposed,
    to: decision.to,
    verdict: decision.verdict,
    reason: decision.escalation === null ? decision.reason : `${decision.reason}. ${decision.escalation.blockers}`,
    exitName: exitOfCall(decision, ports.signal, aborted),
    model: prepared.model.name,
    durationMs: event.duration_ms,
    costUsd: outcome.costUsd,
    tokens: outcome.tokens,
    progress: decision.progress,
    made: event.made,
    validators: event.checks?.results ?? [],
    tickets: decision.tickets,
    asks: decision.to === "done" ? [] : event.open_questions,
    overridden: event.overridden,
    findings: [
      ...prepared.session.findings,
      ...putBackFindings(event),
      ...strayCodeFindings(event, ports),
      ...boundsFindings(event),
      ...told,
    ],
    evidence: place.page,
    evidenceUrl: null,
    doneTone: isProven(event) ? headlineOf(event.proof).tone : null,
    noted: 0,
    escalated: decision.escalation?.cause ?? null,
    end: event.end,
    nextEligibleAt: findRest(event) === null ? null : nextEligibleAt(prepared.session, prepared.contract, request),
    stages: trace.list(),
    prompt: null,
    aborted,
  };
}

/** The report of a pass whose verdict is not the task's, since it did not get to where all machines see it. */
export function unkeptReport(report: PassReport, { exitName, findings }: FenceRefusal): PassReport {
  return {
    ...report,
    to: null,
    verdict: null,
    reason: findings[0]?.message ?? "",
    exitName,
    tickets: [],
    asks: [],
    doneTone: null,
    escalated: null,
    nextEligibleAt: null,
    unkept: true,
    findings: [...report.findings, ...findings],
  };
}

/** The same where no model was called. */
export function unkeptStop(session: HeldTask, task: string, { exitName, findings }: FenceRefusal): Stop {
  const message = findings[0]?.message ?? "";
  return { ...stop(exitName, message, null), task, findings: [...session.findings, ...findings], unkept: true };
}

/** Ledgers, the report, and answers that a pass gave itself: it is not lost over them, and a person hears of it. */
function putBackFindings({ put_back: putBack, pass }: VerdictEvent): Finding[] {
  return putBack.map(({ path, change, by, detail }) => {
    const who = by === "model" ? "the pass" : "a validator or scenario";
    const kept = `the changed version is kept in artifacts/passes/${passName(pass)}/kept/`;
    const fix = change === "removed" ? null : kept;
    const what = detail === null ? ", which the runner writes; it was restored" : `: ${detail}`;
    return warningFinding("TP_PUT_BACK", `${who} ${change} ${path}${what}`, { file: path, fix });
  });
}

/** Code that a pass changed in a phase that is not for it: it stays, and a person hears of it. */
function strayCodeFindings(
  { from, fingerprint, changed_paths: changed, pass }: VerdictEvent,
  { fence }: Pick<PassPorts, "fence">,
): Finding[] {
  if (phases[from].changesCode || fingerprint.before === fingerprint.after) return [];
  const names = changed.slice(0, 5).map(({ path }) => path);
  const more = changed.length > names.length ? ` and ${changed.length - names.length} more` : "";
  // The clone of a claimed pass is removed, whether its commit is on the branch or kept as lost.
  const where =
    fence === undefined
      ? "the change is still in the repo"
      : "both the change and that file are committed with this pass";
  return [
    warningFinding(
      "TP_STRAY_CODE",
      `the pass changed code in ${from}, a phase in which code must not change and does not count as progress: ${names.join(", ")}${more}`,
      { fix: `read artifacts/passes/${passName(pass)}/changes.patch; ${where}` },
    ),
  ];
}

/** Shown, not refused: a broad change in verify or repair is for a person to judge. */
function boundsFindings({ over_bounds: over, pass }: VerdictEvent): Finding[] {
  if (over === null) return [];
  const fix = `read artifacts/passes/${passName(pass)}/changes.patch; \`bounds\` in the brief says how much is usual`;
  return [warningFinding("TP_BOUNDS", renderOverBounds(over), { fix })];
}

/** The report of a call in which no model was called. */
export function stoppedReport(
  place: TaskPlace,
  end: Stop,
  trace: StageTrace,
  ports: PassPorts,
  startedAt: Date,
): PassReport {
  return {
    ...emptyReport(place, trace, ports, startedAt),
    from: end.from,
    to: end.to,
    reason: end.reason,
    exitName: end.exitName,
    task: end.task,
    findings: end.findings,
    escalated: end.escalated,
    nextEligibleAt: end.nextEligibleAt,
    aborted: end.aborted === true,
    ...(end.unkept === true ? { unkept: true } : {}),
  };
}

/** The result of a dry run. */
export interface Preview {
  readonly plan: Plan;
  readonly findings: readonly Finding[];
  readonly prompt: string;
}

/** The report of a dry run that got as far as the model. */
export function dryReport(
  place: TaskPlace,
  { plan, findings, prompt }: Preview,
  trace: StageTrace,
  ports: PassPorts,
  startedAt: Date,
): PassReport {
  const phase = plan.document.view.phase;
  return {
    ...emptyReport(place, trace, ports, startedAt),
    task: plan.contract.contract.id,
    pass: plan.pass,
    from: phase,
    model: plan.model.name,
    reason: `dry run: pass ${plan.pass} would run ${plan.model.name} in ${phase}`,
    findings,
    prompt,
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
    made: [],
    validators: noChecks,
    tickets: [],
    asks: [],
    overridden: [],
    findings: [],
    evidence: stands(place.page) ? place.page : null,
    evidenceUrl: null,
    doneTone: null,
    noted: 0,
    escalated: null,
    end: null,
    nextEligibleAt: null,
    stages: trace.list(),
    prompt: null,
  };
}

import { nextEligibleAt } from "../agents/rotation/choose-model.ts";
import type { ModelOutcome } from "../agents/run/run-model.ts";
import { passPath } from "../documents/pass-pack.ts";
import { renderOverBounds } from "../rules/bounds.ts";
import type { Decision, Escalation } from "../rules/decision.ts";
import { exitOfCall } from "../rules/exits.ts";
import { headlineOf, isProven } from "../rules/headline.ts";
import { findLimit } from "../rules/model-end.ts";
import { phases } from "../rules/phases.ts";
import { undone } from "../rules/reasons.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import type { FenceRefusal, PassPorts } from "../task/records/ports.ts";
import { stands } from "../task/records/task-place.ts";
import { emptyRun, evidenceJson, type PassDetails, type PassReport } from "../task/request.ts";
import { type HeldTask, type Stop, stop } from "../task/session.ts";
import { exitCodes } from "../text/exit-codes.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { msBetween } from "../text/moment.ts";
import { nameSome } from "../text/shorten.ts";
import { branchSwitched } from "./checkpoint/head-moves.ts";
import type { PassCall, Plan, PreparedPass } from "./prepared-pass.ts";

export interface PassEnd {
  readonly decision: Decision;
  readonly event: VerdictEvent;
  readonly outcome: ModelOutcome;
  /** How the model went wrong, for people. */
  readonly told: readonly Finding[];
}

/** The report of a pass that has its verdict. */
export function passReport(prepared: PreparedPass, call: PassCall, end: PassEnd): PassReport {
  const { decision, event, outcome, told } = end;
  const { place, findings } = prepared.session;
  const { results: checks } = event.checks ?? { results: [] };
  const aborted = prepared.watch.aborted() || findings.some(({ code }) => code === branchSwitched);
  const { lastVerdict: last } = prepared.session.history;
  const undelivered = isProven(last) && last.proof.undelivered !== undefined ? headlineOf(last.proof) : null;
  const exitName = undelivered === null ? exitOfCall(decision, call.ports.signal, aborted) : "failure";
  const { id } = prepared.contract.contract;
  const seen = [
    ...putBackFindings(event),
    ...keptBrief(event),
    ...strayCodeFindings(event, call.ports),
    ...boundsFindings(event),
  ];
  const keys = {
    task: id,
    pass: prepared.pass,
    from: decision.from,
    proposed: decision.proposed,
    to: decision.to,
    verdict: decision.verdict,
    reason:
      decision.escalation === null
        ? (undelivered?.text ?? decision.reason)
        : withStop(decision.reason, decision.escalation),
    model: prepared.model?.name ?? null,
    duration_ms: event.duration_ms,
    cost_usd: outcome.costUsd,
    tokens: outcome.tokens,
    progress: decision.progress,
    validators: checks.map(({ name, status, exit_code, duration_ms, attribution, log }) => ({
      name,
      status,
      exit_code,
      duration_ms,
      attribution,
      log,
    })),
    tickets: decision.tickets,
    overridden: event.overridden,
    evidence: evidenceJson(place.page, null),
    next_eligible_at:
      findLimit(event) === null ? null : nextEligibleAt(prepared.session, prepared.contract, call.request),
  };
  const details = {
    checks,
    made: event.made,
    asks: decision.to === "done" ? [] : event.open_questions,
    doneTone: undelivered?.tone ?? (isProven(event) ? headlineOf(event.proof).tone : null),
    escalated: decision.escalation?.cause ?? null,
    end: event.end,
    aborted,
  };
  return makeReport(call, { exitName, findings: [...findings, ...seen, ...told] }, keys, details);
}

/** The report with the moves before it in this call that needed no model. */
export function withMoves(report: PassReport, moves: readonly PassReport[]): PassReport {
  if (moves.length === 0) return report;
  const findings = [...moves.flatMap((move) => move.findings), ...report.findings];
  const told = moves.flatMap(({ pass, from, to, verdict, reason }) =>
    pass === null ? [] : [{ pass, from, to, verdict, reason }],
  );
  return { ...report, findings, moves: told, details: { ...report.details, moves } };
}

/** The report of a pass whose verdict is not the task's, since it did not get to where all machines see it. */
export function unkeptReport(report: PassReport, { exitName, findings }: FenceRefusal): PassReport {
  return {
    ...report,
    to: null,
    verdict: null,
    reason: findings[0]?.message ?? "",
    exit_code: exitCodes[exitName],
    exit_name: exitName,
    tickets: [],
    findings: [...report.findings, ...findings],
    next_eligible_at: null,
    details: { ...report.details, asks: [], doneTone: null, escalated: null, unkept: true },
  };
}

/** A stop before any model was called. */
export function unkeptStop(session: HeldTask, task: string, { exitName, findings }: FenceRefusal): Stop {
  const message = findings[0]?.message ?? "";
  return { ...stop(exitName, message, null), task, findings: [...session.findings, ...findings], unkept: true };
}

/** Ledgers, the report, and answers that a pass gave itself: it is not lost over them, and a person hears of it. */
function putBackFindings({ put_back: putBack, pass }: VerdictEvent): Finding[] {
  return putBack.map(({ path, change, by, detail }) => {
    const who = by === "model" ? "the pass" : "a validator or scenario";
    const kept = `the changed version is kept in ${passPath(pass)}/kept/`;
    const fix = change === "removed" ? null : kept;
    const what = detail === null ? `, which the runner writes; it was ${undone({ change })}` : `: ${detail}`;
    return warningFinding("TP_PUT_BACK", `${who} ${change} ${path}${what}`, { file: path, fix });
  });
}

/** A person may have edited it, and must not have to search for the edit. */
function keptBrief({ tampering, pass }: VerdictEvent): Finding[] {
  return tampering
    .filter(({ guard, path, change }) => guard === "task_file" && path === "README.md" && change === "changed")
    .map(({ path: file }) => {
      const fix = `if a person did it, make the edit again while no pass runs: it is kept in ${passPath(pass)}/kept/${file}`;
      const message = "the brief was edited during the pass, so the pass is rejected and the edit undone";
      return warningFinding("TP_FILE_KEPT", message, { file, fix });
    });
}

/** Code that a pass changed in a phase that is not for it: it stays, and a person hears of it. */
function strayCodeFindings(
  { from, fingerprint, changed_paths: changed, pass }: VerdictEvent,
  { fence }: Pick<PassPorts, "fence">,
): Finding[] {
  const own = changed.filter(({ person }) => person === undefined);
  if (phases[from].changesCode || fingerprint.before === fingerprint.after || own.length === 0) return [];
  const paths = own.map(({ path }) => path);
  // The clone of a claimed pass is removed, whether its commit is on the branch or kept as lost.
  const where =
    fence === undefined
      ? "the change is still in the repo"
      : "both the change and that file are committed with this pass";
  return [
    warningFinding(
      "TP_STRAY_CODE",
      `the pass changed code in ${from}, a phase in which code must not change and does not count as progress: ${nameSome(paths, 5)}`,
      { fix: `read ${passPath(pass)}/changes.patch; ${where}` },
    ),
  ];
}

/** Shown, not refused: a broad change in verify or repair is for a person to judge. */
function boundsFindings({ over_bounds: over, pass }: VerdictEvent): Finding[] {
  if (over === null) return [];
  const fix = `read ${passPath(pass)}/changes.patch; \`bounds\` in the brief says how much is usual`;
  return [warningFinding("TP_BOUNDS", renderOverBounds(over), { fix })];
}

/** The report of a call in which no model was called. */
export function stoppedReport(call: PassCall, end: Stop): PassReport {
  const { task, from, to, reason, escalated, nextEligibleAt: next, aborted = false, unkept = false } = end;
  return makeReport(call, end, { task, from, to, reason, next_eligible_at: next }, { escalated, aborted, unkept });
}

export interface Preview {
  readonly plan: Plan;
  readonly findings: readonly Finding[];
  /** Null without a model. */
  readonly prompt: string | null;
}

/** The report of a dry run that got as far as the model. */
export function dryReport(call: PassCall, { plan, findings, prompt }: Preview): PassReport {
  const { pass, contract, model, document } = plan;
  const from = document.view.phase;
  const does = model === null ? "run the checks, without a model," : `run ${model.name}`;
  const reason = `dry run: pass ${pass} would ${does} in ${from}`;
  const keys = { task: contract.contract.id, pass, from, model: model?.name ?? null, reason };
  if (prompt !== null) return makeReport(call, { exitName: "ok", findings }, { ...keys, prompt });
  return makeReport(call, { exitName: "ok", findings }, keys);
}

/** Every report of a pass: what is not given did not happen. */
function makeReport(
  { place, trace, ports, startedAt }: PassCall,
  { exitName, findings }: Pick<Stop, "exitName" | "findings">,
  keys: Partial<Omit<PassReport, "details">> & Pick<PassReport, "reason">,
  details: Partial<PassDetails> = {},
): PassReport {
  return {
    ...emptyRun(exitName, findings),
    evidence: evidenceJson(stands(place.page) ? place.page : null, null),
    duration_ms: Math.round(msBetween(startedAt, ports.now())),
    stages: trace.list(),
    ...keys,
    details: {
      ...{ taskDir: place.taskDir, checks: [], made: [], asks: [], evidenceUrl: null, doneTone: null, noted: 0 },
      ...{ escalated: null, end: null, aborted: false, unkept: false, moves: [] },
      ...details,
    },
  };
}

/** The words of a stop hold the reason in most cases. */
function withStop(reason: string, { blockers }: Escalation): string {
  return blockers.includes(reason) ? blockers : `${reason}. ${blockers}`;
}

import { sendRefusal } from "../notify/events/send-news.ts";
import { decide } from "../rules/decide.ts";
import { isWorkingPhase } from "../rules/phases.ts";
import { lockTask } from "../task/locks.ts";
import { waitsForRecovery } from "../task/records/anchor.ts";
import { type PassPorts, startTrace } from "../task/records/ports.ts";
import { locateTask } from "../task/records/task-place.ts";
import type { PassReport, PassRequest } from "../task/request.ts";
import { requireTrust } from "../task/trust.ts";
import { runWithCleanUp } from "../text/errors.ts";
import { afterCall, afterVerdict, type CallEnd } from "./after-verdict.ts";
import { isSet } from "./budget/task-budgets.ts";
import { beginRecord, checkpoint } from "./checkpoint.ts";
import { execute } from "./exec.ts";
import { passReport, stoppedReport, unkeptReport, withMoves } from "./pass-report.ts";
import { previewPass } from "./plan-pass.ts";
import { prepare, readAhead } from "./prep.ts";
import type { PassCall, PreparedPass } from "./prepared-pass.ts";
import { validate } from "./validate.ts";
import { leadsToRepair, writeTickets } from "./verdict/tickets-file.ts";

/** One pass of one model on one task, and all that the runner does around it. */
export async function runPass(request: PassRequest, ports: PassPorts): Promise<PassReport> {
  const trace = startTrace(ports);
  const startedAt = ports.now();
  trace.enter("PLAN");
  const place = locateTask(request.taskDir, ports.cwd, (taskDir) => waitsForRecovery({ taskDir }, ports));
  if (ports.fence === undefined) requireTrust(place.tasksRoot, ports);
  const call = { place, request, ports, trace, startedAt };
  trace.enter("PREP");
  if (request.dryRun) return await previewPass(call);
  try {
    const known = await readAhead(call);
    return await afterCall(call, await runLocked(call), known);
  } catch (error) {
    throw await sendRefusal(error, call, ports);
  }
}

/** The result of the call while the task is locked. */
async function runLocked(call: PassCall): Promise<CallEnd> {
  const locks = lockTask(call.place, call.ports);
  const work = async (now: PassCall, moves: readonly PassReport[]): Promise<CallEnd> => {
    const { prepared, ...held } = await prepare(now, locks);
    if (prepared.kind === "stopped") return { ...held, report: withMoves(stoppedReport(now, prepared), moves) };
    const watched = () => carryThrough(prepared, now);
    const report = await runWithCleanUp(watched, () => prepared.watch.stop());
    if (prepared.model !== null || countsAnew(prepared, now) || !goesOn(report, now))
      return { ...held, report: withMoves(report, moves) };
    return await work(nextCall(call), [...moves, report]);
  };
  return await runWithCleanUp(
    () => work(call, []),
    () => locks.release(),
  );
}

/** The call of the next pass, with its own stages and time. */
function nextCall(call: PassCall): PassCall {
  const trace = startTrace(call.ports);
  trace.enter("PLAN");
  trace.enter("PREP");
  return { ...call, trace, startedAt: call.ports.now() };
}

/** Others that run now have used up more of a budget since this call looked: the loop's next call of the task counts that. */
function countsAnew({ contract }: PreparedPass, { request, ports }: PassCall): boolean {
  const { run, day } = contract.config.budget;
  return ports.fence !== undefined && request.run !== null && (isSet(run) || isSet(day));
}

/** Whether the call goes on after a move that needed no model: among several machines one claim is one pass. */
function goesOn({ exit_name: exitName, to, details }: PassReport, { ports }: PassCall): boolean {
  if (ports.fence?.isOwn === false || ports.signal.aborted || details.aborted || details.unkept) return false;
  return exitName === "ok" && to !== null && isWorkingPhase(to);
}

/** From EXEC to the report. */
async function carryThrough(prepared: PreparedPass, call: PassCall): Promise<PassReport> {
  const { trace, ports } = call;
  const outcome = await execute(prepared, call);
  trace.enter("VALIDATE");
  const validated = await validate(prepared, outcome);
  trace.enter("DIAGNOSE");
  const decision = decide(validated.before, validated.proposal, validated.facts, prepared.contract.policy);
  beginRecord(prepared, validated, decision);
  if (leadsToRepair(decision)) trace.enter("REPAIR");
  writeTickets(prepared, decision, prepared.syncs);
  trace.enter("CHECKPOINT");
  const event = await checkpoint(prepared, outcome, validated, decision, call);
  const { refused, told } = await afterVerdict(prepared, { outcome, validated, event }, ports);
  const report = passReport(prepared, call, { decision, event, outcome, told });
  return refused === null ? report : unkeptReport(report, refused);
}

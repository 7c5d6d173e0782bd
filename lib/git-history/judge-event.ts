import { checksHold } from "../machine/check-run.ts";
import type { TaskEvent, VerdictEvent } from "../machine/events.ts";
import { liftsCancel, type TaskHistory } from "../machine/history.ts";
import { judgeReopening } from "../machine/person-edit.ts";
import { isWorkingPhase, mayPropose, type Phase } from "../machine/phases.ts";
import { isUnblocked, type StateView } from "../machine/state-view.ts";
import { judgeMove } from "./judge-move.ts";

/** What an event follows, and what follows it. */
export interface EventPlace {
  readonly before: TaskHistory;
  /** Null at the beginning. */
  readonly previous: TaskEvent | null;
  /** Null at the end of the journal. */
  readonly next: TaskEvent | null;
  /** What a whole STATE.md says; null where it cannot be read. */
  readonly read: (state: string) => StateView | null;
  /** Its phase alone, which is found much sooner. */
  readonly readPhase: (state: string) => Phase | null;
}

/**
 * Why an event of a journal is none that a runner writes there; empty where nothing speaks against it. Only what the
 * journal itself tells is judged here: the facts of a verdict stand in its pass.json.
 */
export function judgeEvent(event: TaskEvent, place: EventPlace): string[] {
  const problems = judgeType(event, place);
  if (!("state" in event)) return problems;
  const { before } = place;
  const to = landing(event, before);
  if (event.state === before.state) {
    if (to !== before.phase) problems.push(`STATE.md is as before, and the event moves the task to ${to}`);
    return problems;
  }
  const phase = place.readPhase(event.state);
  if (phase === null) problems.push("the STATE.md that it accepts cannot be read");
  else if (phase !== to) problems.push(`the STATE.md that it accepts says ${phase}, and the event says ${to}`);
  return problems;
}

function landing(event: TaskEvent, before: TaskHistory): Phase | null {
  if (event.type === "adopted") return event.phase;
  return "to" in event ? event.to : before.phase;
}

function judgeType(event: TaskEvent, place: EventPlace): string[] {
  const { before } = place;
  if (event.type === "adopted") return judgeAdoption(event, place);
  if (before.phase === null) return ["the journal does not begin with the event that adopted the task"];
  if ("from" in event && event.from !== before.phase)
    return [`it says that the task stood in ${event.from}, and the last accepted phase is ${before.phase}`];
  switch (event.type) {
    case "verdict":
      return judgeVerdict(event, before);
    case "state_edited":
      return judgeEdit(event, place);
    case "resumed":
      return judgeResumption(event, place);
    case "escalated":
      return judgeStop(event.from, event.to);
    case "answered":
      return event.from === "needs_user_decision" && event.to === before.askedFrom
        ? []
        : [
            illegal(
              event.from,
              event.to,
              `an answer leads back to the phase that asked, ${before.askedFrom ?? "none"}`,
            ),
          ];
    case "defaulted":
      return event.to === event.from || (event.from === "needs_user_decision" && event.to === before.askedFrom)
        ? []
        : [
            illegal(
              event.from,
              event.to,
              `a default leads back to the phase that asked, ${before.askedFrom ?? "none"}`,
            ),
          ];
    case "pass_started":
      return isWorkingPhase(event.phase) && event.phase === before.phase
        ? []
        : [`a pass started in ${event.phase}, and the task stood in ${before.phase}`];
    default:
      return [];
  }
}

function judgeAdoption(event: TaskEvent & { type: "adopted" }, { before, next }: EventPlace): string[] {
  if (before.phase !== null) return ["a task is adopted once, by the first event"];
  // `resume` takes over what stands there, and opens it at once.
  if (event.phase === "intake" || next?.type === "resumed") return [];
  return [`a task is adopted at intake, or by resume, which opens it at once; it was adopted at ${event.phase}`];
}

function judgeResumption({ from, to }: TaskEvent & { type: "resumed" }, { before, previous }: EventPlace): string[] {
  // What was just taken over, and not stopped by anybody, may be set to any phase.
  if (previous?.type === "adopted" && isWorkingPhase(from) && isWorkingPhase(to)) return [];
  if (liftsCancel(before, from, to)) return [];
  const judgement = judgeReopening(from, to, before.stop !== null);
  return judgement.kind === "accepted" ? [] : [illegal(from, to, judgement.reason)];
}

function judgeEdit(event: TaskEvent & { type: "state_edited" }, { before, read }: EventPlace): string[] {
  const { from, to } = event;
  const was = before.state === null ? null : read(before.state);
  const now = read(event.state);
  // That it cannot be read is said where all events are.
  if (was === null || now === null) return [];
  const judgement = judgeMove(was, now, before);
  if (judgement.kind === "refused") return [illegal(from, to, judgement.reason)];
  const cleared = from === "intake" && before.stop !== null && isUnblocked(now.fields.blockers);
  return event.reopened && !judgement.reopened && !cleared
    ? [`it opens the task again, which stood in ${from} and was not stopped`]
    : [];
}

function judgeVerdict(event: VerdictEvent, before: TaskHistory): string[] {
  const { from, to, verdict, proposed, escalation } = event;
  if (!isWorkingPhase(from)) return [`no pass is made in ${from}`];
  if (escalation !== null)
    return escalation.to === to ? judgeStop(from, to) : [`it stops the task in ${escalation.to} and moves it to ${to}`];
  switch (verdict) {
    case "accepted":
      if (proposed !== to) return [`what was proposed is ${proposed ?? "nothing"}, and what was accepted is ${to}`];
      if (!mayPropose(from, to)) return [illegal(from, to, `the table does not allow it`)];
      return to === "done" ? judgeDone(event, before) : [];
    case "redirected":
      return to === "repair" && (from === "verify" || from === "review")
        ? []
        : [illegal(from, to, "a redirect leads from verify or review to repair")];
    default:
      if (to !== from) return [illegal(from, to, `a verdict of ${verdict} keeps the phase`)];
      return event.state === before.state ? [] : [`a verdict of ${verdict} keeps STATE.md, and this one changes it`];
  }
}

function judgeStop(from: Phase, to: Phase): string[] {
  if (
    isWorkingPhase(from) &&
    (to === from || ((to === "blocked" || to === "needs_user_decision") && mayPropose(from, to)))
  )
    return [];
  return [illegal(from, to, "the runner stops a task in blocked or needs_user_decision, where the table has that")];
}

/** What the journal must hold beside an accepted review → done. */
function judgeDone({ gates, checks, fingerprint, tampering, end }: VerdictEvent, before: TaskHistory): string[] {
  const failed = gates.filter(({ ok }) => !ok);
  const reviewed = before.reviewedFingerprint;
  return [
    ...(gates.length === 0 ? ["done without a gate"] : []),
    ...(failed.length === 0
      ? []
      : [`done with a gate that does not hold: ${failed.map(({ gate }) => gate).join(", ")}`]),
    ...(checks === null || !checks.results.some(({ required }) => required) ? ["done without a required check"] : []),
    ...(checks === null || checksHold(checks) ? [] : ["done with checks that do not hold"]),
    ...(reviewed === null
      ? ["done, and no verify → review was accepted since the task was opened"]
      : checks === null || checks.fingerprint_after === reviewed
        ? []
        : ["done on other code than the accepted verify → review"]),
    ...(checks === null || fingerprint.present === checks.fingerprint_after
      ? []
      : ["done on other code than the checks ran on"]),
    ...(tampering.length === 0 ? [] : ["done by a pass that changed what it must not"]),
    ...(end.kind === "exited" ? [] : [`done by a pass whose model ${end.kind.replace("_", " ")}`]),
  ];
}

function illegal(from: Phase, to: Phase, why: string): string {
  return `${from} → ${to}: ${why}`;
}

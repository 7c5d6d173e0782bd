import { frameGates, nextOfFrame } from "./advance.ts";
import type { Escalation } from "./decision.ts";
import { escalationTarget, waitsForAnswer } from "./escalate.ts";
import type { TaskEvent } from "./events.ts";
import type { TaskHistory } from "./history.ts";
import { liftsCancel } from "./move-task.ts";
import { clearsHold, judgePastEdit, judgeReopening } from "./person-edit.ts";
import { isWorkingPhase, mayPropose, type Phase, phases } from "./phases.ts";
import type { StateView } from "./state-view.ts";
import type { VerdictEvent } from "./verdict-event.ts";

interface EventPlace {
  readonly before: TaskHistory;
  readonly previous: TaskEvent | null;
  readonly next: TaskEvent | null;
  readonly read: (state: string) => StateView | null;
  /** Much cheaper than `read`. */
  readonly readPhase: (state: string) => Phase | null;
}

/** Why an event is illegal at this place; empty if legal. `decide` judges verdicts by their pass.json. */
export function judgeEvent(event: TaskEvent, place: EventPlace): string[] {
  return [judgeMove(event, place), judgeState(event, place)].filter((problem) => problem !== null);
}

function judgeState(event: TaskEvent, { before, readPhase }: EventPlace): string | null {
  if (!("state" in event) || event.state === null) return null;
  const to = event.type === "adopted" ? event.phase : "to" in event ? event.to : before.phase;
  if (event.state === before.state)
    return to === before.phase ? null : `STATE.md is unchanged, but the event moves the task to ${to}`;
  const phase = readPhase(event.state);
  if (phase === null) return "the STATE.md that it accepts cannot be read";
  return phase === to ? null : `the STATE.md that it accepts says ${phase}, but the event says ${to}`;
}

function judgeMove(event: TaskEvent, place: EventPlace): string | null {
  const { before } = place;
  if (event.type === "adopted") return judgeAdoption(event.phase, place);
  if (before.phase === null) return "the journal does not begin with the event that adopted the task";
  if ("from" in event && event.from !== before.phase)
    return `it says that the task was in ${event.from}, but the last accepted phase is ${before.phase}`;
  switch (event.type) {
    case "verdict":
      return judgeVerdict(event, before);
    case "advanced":
      return judgeAdvance(event, place);
    case "state_edited":
      return judgeEdit(event, place);
    case "resumed":
      return judgeResumption(event, place);
    case "not_merged":
      return event.from === "done" && event.to === "repair" && event.tickets.length > 0
        ? null
        : illegal(event, "only a task that is done goes back to repair by a landing, and with a ticket");
    case "escalated":
      return judgeStop(event.from, event);
    case "answered":
      return leadsBack(event, before) ? null : illegal(event, `an answer ${toAsker(before)}`);
    case "defaulted":
      return event.to === event.from || leadsBack(event, before)
        ? null
        : illegal(event, `a default ${toAsker(before)}`);
    case "pass_started":
      return isWorkingPhase(event.phase) && event.phase === before.phase
        ? null
        : `a pass started in ${event.phase}, but the task was in ${before.phase}`;
    case "claimed":
      if (event.phase !== before.phase || !isWorkingPhase(event.phase))
        return `a pass was claimed in ${event.phase}, but the task was in ${before.phase}`;
      return event.pass === before.lastPass + 1 && before.unfinishedPass === null
        ? null
        : `pass ${event.pass} was claimed, but pass ${before.lastPass} was the newest`;
    case "released":
      return before.claimed?.pass === event.pass ? null : `pass ${event.pass} was released, but nobody had claimed it`;
    case "undelivered":
      return before.phase === "done" && before.lastVerdict?.pass === event.pass
        ? null
        : `it says that what pass ${event.pass} made is not delivered, but the task was not done by it`;
    case "approved":
      return before.frameAsked?.question === event.question && before.frameAsked.frame === event.frame
        ? null
        : "it answers whether a frame is approved, but that was not asked";
    case "environment_answered":
      return before.environmentAsked === event.question
        ? null
        : "it answers whether a check that cannot run is part of the task, but that was not asked";
    case "looked":
      return judgeLook(event, before);
    default:
      return null;
  }
}

/** An answer must be about what the runner asked, on that code. */
function judgeLook(event: TaskEvent & { type: "looked" }, { lookAsked: asked }: TaskHistory): string | null {
  if (asked === null) return "it answers what to look at, but no such question was open";
  const names = (scenarios: readonly { readonly name: string }[]) => scenarios.map(({ name }) => name).join("\n");
  return asked.question === event.question &&
    asked.fingerprint === event.fingerprint &&
    names(asked.scenarios) === names(event.scenarios)
    ? null
    : `it answers something else than ${asked.question} asked`;
}

function judgeAdoption(phase: Phase, { before, next }: EventPlace): string | null {
  if (before.phase !== null) return "a task is adopted once, by the first event";
  // `resume` adopts what is there, and opens it at once.
  return phase === "intake" || next?.type === "resumed"
    ? null
    : `a task is adopted at intake, or by resume, which opens it immediately; this one was adopted at ${phase}`;
}

function judgeResumption(event: Move, { before, previous }: EventPlace): string | null {
  const { from, to } = event;
  // A task just adopted, and never stopped, may be set to any phase.
  if (previous?.type === "adopted" && isWorkingPhase(from) && isWorkingPhase(to)) return null;
  if (liftsCancel(before, from, to)) return null;
  const judgement = judgeReopening(from, to, before.stop !== null);
  return judgement.kind === "accepted" ? null : illegal(event, judgement.reason);
}

function judgeAdvance(event: TaskEvent & { type: "advanced" }, { read }: EventPlace): string | null {
  const state = read(event.state);
  // `judgeState` reports an unreadable one.
  if (state === null) return null;
  if (event.to !== nextOfFrame(event.from)) return illegal(event, "the runner makes no such move without a model");
  const failed = [...event.gates, ...frameGates(event.from, state)].find(({ ok }) => !ok);
  return failed === undefined ? null : illegal(event, `a gate of it does not hold: ${failed.gate}`);
}

function judgeEdit(event: TaskEvent & { type: "state_edited" }, { before, read }: EventPlace): string | null {
  const was = before.state === null ? null : read(before.state);
  const now = read(event.state);
  // `judgeState` reports an unreadable one.
  if (was === null || now === null) return null;
  const judgement = judgePastEdit(was, now, before);
  if (judgement.kind === "refused") return illegal(event, judgement.reason);
  return event.reopened && !judgement.reopened && !clearsHold(before.stop, now, event.from)
    ? `it reopens the task, which was in ${event.from} and not stopped`
    : null;
}

function judgeVerdict(event: VerdictEvent, before: TaskHistory): string | null {
  const { from, to, verdict, proposed, escalation } = event;
  if (!isWorkingPhase(from)) return `no pass runs in ${from}`;
  if (event.end.kind === "no_model" && !goesAlone(event, before)) return `a pass in ${from} takes a model`;
  if (escalation !== null)
    return escalation.to === to
      ? judgeStop(from, escalation)
      : `it stops the task in ${escalation.to} but moves it to ${to}`;
  switch (verdict) {
    case "accepted":
      // A new frame waits for its reviewers.
      if (from === "shape" && proposed === "implement" && to === "shape") return null;
      if (proposed !== to) return `the pass proposed ${proposed ?? "nothing"}, but ${to} was accepted`;
      return mayPropose(from, to) ? null : illegal(event, "the table of phases does not allow it");
    case "redirected":
      return to === "repair" && phases[from].next.includes(to)
        ? null
        : illegal(event, "a redirect goes from verify or review to repair");
    default:
      if (to !== from) return illegal(event, `a verdict of ${verdict} keeps the phase`);
      return event.state === before.state ? null : `a verdict of ${verdict} keeps STATE.md, but this one changes it`;
  }
}

/** In review only the checks again, or a proposal once more that waited for a person's answer. */
function goesAlone({ from, proposed }: VerdictEvent, { lastVerdict }: TaskHistory): boolean {
  return from === "verify" || (from === "review" && (proposed === "review" || waitsForAnswer(lastVerdict)));
}

function judgeStop(from: Phase, { cause, to }: Pick<Escalation, "cause" | "to">): string | null {
  return isWorkingPhase(from) && to === escalationTarget(cause, from)
    ? null
    : illegal(
        { from, to },
        "the runner stops a task in blocked or needs_user_decision, if the table allows it from that phase",
      );
}

interface Move {
  readonly from: Phase;
  readonly to: Phase;
}

function leadsBack({ from, to }: Move, { askedFrom }: TaskHistory): boolean {
  return from === "needs_user_decision" && to === askedFrom;
}

function toAsker({ askedFrom }: TaskHistory): string {
  return `returns to the phase that asked, ${askedFrom ?? "none"}`;
}

function illegal({ from, to }: Move, why: string): string {
  return `${from} → ${to}: ${why}`;
}

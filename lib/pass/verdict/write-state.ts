import type { Question } from "../../documents/decisions.ts";
import { readIfGood, taskFiles } from "../../documents/read-task-file.ts";
import { editState, type FieldEdits, type StateDocument, stateText } from "../../documents/state.ts";
import { phaseDiagram } from "../../documents/templates/phase-diagram.ts";
import { mdPlain } from "../../documents/templates/render-template.ts";
import { asUndelivered } from "../../rules/add-event.ts";
import type { Decision, Escalation } from "../../rules/decision.ts";
import type { TaskEvent } from "../../rules/events.ts";
import type { Facts } from "../../rules/facts.ts";
import type { Held } from "../../rules/held.ts";
import type { TaskHistory } from "../../rules/history.ts";
import { isWorkingPhase, type Phase } from "../../rules/phases.ts";
import { stopOfVerdict, stopOutsidePass } from "../../rules/runner-stop.ts";
import { standingOf, statusOf } from "../../rules/standing.ts";
import { nothingElse, type StandingFacts } from "../../rules/standing-facts.ts";
import type { FieldKey } from "../../rules/state-view.ts";
import type { CommitFile } from "../../task/commit-event.ts";
import { timelessAsks } from "../../task/open-questions.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { accept, type TaskSession } from "../../task/session.ts";

type StateValues = FieldEdits & { readonly phase?: Phase };

export interface StateChange {
  /** ISO 8601, UTC; becomes Last updated. */
  readonly at: string;
  readonly fields: StateValues;
  readonly event: (state: string) => TaskEvent;
  readonly files?: readonly CommitFile[];
  /** Digests of legal contents besides the last accepted text. */
  readonly over?: readonly string[];
}

/**
 * Writes STATE.md and accepts its event, for every change outside a verdict. Without a changed value the file stays as
 * it is, Last updated too. Returns STATE.md afterwards.
 */
export function writeState(
  session: TaskSession,
  document: StateDocument,
  { at, fields, event, ...others }: StateChange,
): StateDocument {
  const changes =
    others.over !== undefined ||
    Object.entries(fields).some(([key, value]) => document.view.fields[key as FieldKey] !== value);
  const written = changes ? stamp(document, fields, at) : document;
  const state = stateText(written);
  accept(session, { ...others, event: event(state), state: changes ? state : null });
  return written;
}

/** Sets Last updated and the phase's diagram too. */
export function stamp(document: StateDocument, fields: StateValues, at: string): StateDocument {
  const diagram = phaseDiagram(fields.phase ?? document.view.phase);
  return editState(document, { ...fields, last_updated: at }, { diagram });
}

/** When a person lets a task continue, the Blockers go too that the runner wrote. */
export function goOnFields(
  { stop, ownBlockers }: Pick<TaskHistory, "stop" | "ownBlockers">,
  { view }: StateDocument,
): Pick<StateValues, "status" | "blockers"> {
  const own = [stop?.blockers, ownBlockers].includes(view.fields.blockers);
  return { status: goingOn, ...(own ? { blockers: "none" } : {}) };
}

/** Status when a person lets a stopped task continue, until the next pass. */
export const goingOn = "in progress";

export interface StatusInput {
  readonly history: TaskHistory;
  readonly blockers: string;
  readonly questions: readonly Question[];
  readonly redactor: PassPorts["redactor"];
}

/** Null while the task works, since Status is the agent's then, unless it waits for an answer first. */
export function statusAfterVerdict(decision: Decision, facts: Facts, input: StatusInput): string | null {
  const asks = input.questions.some(({ open }) => open);
  if (isWorkingPhase(decision.to) && decision.escalation === null && !asks) return null;
  const { verdict, to, proof } = decision;
  const lastVerdict = { verdict, to, checks: facts.checks, proof };
  const stop = stopOfVerdict({ ...decision, checks: facts.checks, end: facts.end }) ?? input.history.stop;
  return renderStatus(to, { ...input.history, stop, lastVerdict }, input);
}

export function statusAfterStop(escalation: Escalation, input: StatusInput): string {
  return renderStatus(escalation.to, { ...input.history, stop: stopOutsidePass(escalation) }, input);
}

export function statusAfterEdit(to: Phase, input: StatusInput): string {
  return renderStatus(to, { ...input.history, stop: null }, input);
}

/** Of a task that is done, where git does not hold what was proven. */
export function statusUndelivered({ history, ports }: TaskSession, undelivered: string): string {
  const input = { history, blockers: "none", questions: [], redactor: ports.redactor };
  return renderStatus("done", { ...history, lastVerdict: asUndelivered(history, undelivered) }, input);
}

/** While no pass begins. */
export function statusHeld({ history, place, ports }: TaskSession, held: Held, blockers: string): string {
  const { questions } = readIfGood(taskFiles.decisions, place.taskDir);
  const input = { history, blockers, questions, redactor: ports.redactor };
  return renderStatus(history.phase ?? "intake", history, input, held);
}

/** The text comes from files and models: escaped, and redacted. Read as it is too, so no entity is in it. */
function renderStatus(
  phase: Phase,
  history: StandingFacts["history"],
  { blockers, questions, redactor }: StatusInput,
  held: Held | null = null,
): string {
  const answer = standingOf({
    ...nothingElse,
    ...{ history: { ...history, cancelled: null }, phase, blockers, questions: timelessAsks(questions), held },
  });
  return mdPlain(redactor.redact(statusOf(answer)));
}

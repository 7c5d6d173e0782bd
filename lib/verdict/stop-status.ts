import type { PassPorts } from "../anchor/ports.ts";
import type { Decision, Escalation } from "../machine/decision.ts";
import type { Facts } from "../machine/facts.ts";
import type { TaskHistory } from "../machine/history.ts";
import { isWorkingPhase, type Phase } from "../machine/phases.ts";
import { stopOfVerdict, stopOutsidePass } from "../machine/runner-stop.ts";
import { standingOf, statusOf } from "../machine/standing.ts";
import { nothingElse, type StandingFacts } from "../machine/standing-facts.ts";
import { timelessAsks } from "../task/open-questions.ts";
import type { Question } from "../task-folder/decisions.ts";
import { mdInline } from "../templates/markdown-escape.ts";

/** STATE.md's Status if a person has let a stopped task continue; the next pass says how it is. */
export const goingOn = "in progress";

/** The facts that Status depends on, besides what ended the task's work. */
export interface StatusInput {
  readonly history: TaskHistory;
  /** Blockers of STATE.md afterwards. */
  readonly blockers: string;
  /** The questions of DECISIONS.md afterwards. */
  readonly questions: readonly Question[];
  readonly redactor: PassPorts["redactor"];
}

/** Status after a verdict that stops or ends the task; null while it works, since Status is the agent's then. */
export function statusAfterVerdict(decision: Decision, facts: Facts, input: StatusInput): string | null {
  if (isWorkingPhase(decision.to) && decision.escalation === null) return null;
  const { verdict, to, proof } = decision;
  const lastVerdict = { verdict, to, checks: facts.checks, proof };
  const stop = stopOfVerdict({ ...decision, checks: facts.checks, end: facts.end }) ?? input.history.stop;
  return tell(to, { ...input.history, stop, lastVerdict }, input);
}

/** Status if the runner stops the task outside a pass. */
export function statusAfterStop(escalation: Escalation, input: StatusInput): string {
  return tell(escalation.to, { ...input.history, stop: stopOutsidePass(escalation) }, input);
}

/** Status if a person's edit stops a task that worked: no stop of the runner is the reason. */
export function statusAfterEdit(to: Phase, input: StatusInput): string {
  return tell(to, { ...input.history, stop: null }, input);
}

/** Its words are those of files and models: they stay text, and say no secret. */
function tell(phase: Phase, history: StandingFacts["history"], { blockers, questions, redactor }: StatusInput): string {
  const answer = standingOf({
    ...nothingElse,
    ...{ history: { ...history, cancelled: null }, phase, blockers, questions: timelessAsks(questions) },
  });
  return mdInline(redactor.redact(statusOf(answer)));
}

import { failedChecks, whyFailed } from "./check-run.ts";
import type { Escalation, EscalationCause } from "./decision.ts";
import { happenedIn } from "./escalate.ts";
import { briefly, isRow } from "./failure.ts";
import { renderTrouble } from "./model-end.ts";
import type { VerdictEvent } from "./verdict-event.ts";

export interface RunnerStop {
  readonly cause: EscalationCause;
  readonly blockers: string;
  readonly question: string | null;
  readonly happened: string;
}

export function stopOutsidePass({ cause, blockers, question }: Escalation): RunnerStop {
  return { cause, blockers, question, happened: firstClause(happenedIn(blockers)) };
}

export function stopOfVerdict(event: StoppingVerdict): RunnerStop | null {
  const { escalation } = event;
  return escalation === null ? null : { ...stopOutsidePass(escalation), happened: renderHappened(event, escalation) };
}

type StoppingVerdict = Pick<VerdictEvent, "verdict" | "reason" | "checks" | "failure" | "escalation" | "end">;

export function isStuck({ cause }: RunnerStop): boolean {
  return cause === "stuck" || cause === "no_progress";
}

function renderHappened(event: StoppingVerdict, { cause, blockers }: Escalation): string {
  if (cause === "no_progress") {
    const trouble = renderTrouble(event.end);
    const end = trouble === null ? "" : `; in the newest the model ${trouble}`;
    return `no material progress in ${times(event, "pass", "passes")}${end}`;
  }
  if (cause !== "stuck") return firstClause(happenedIn(blockers));
  const failed = event.verdict === "redirected" && event.checks !== null ? failedChecks(event.checks) : [];
  const once = (event.failure?.count ?? 1) === 1;
  if (failed.length > 0) {
    const fails = `${listNames(failed.map(({ name }) => name))} ${failed.length === 1 ? "fails" : "fail"}`;
    const said = (failed.length === 1 && failed[0] !== undefined && whyFailed(failed[0])) || "";
    return once ? fails : `${fails} the same way ${times(event, "time", "times")}${said && `: ${briefly(said)}`}`;
  }
  const reason = briefly(event.reason);
  if (once) return `the pass failed: ${reason}`;
  const row = event.failure !== null && isRow(event.failure) ? " in a row" : "";
  return `${times(event, "pass", "passes")}${row} ended the same way: ${reason}`;
}

/** The rest says how to raise a limit, and what was tried. */
function firstClause(text: string): string {
  return briefly(text.split(/\. | \(/, 1)[0] ?? text);
}

function times({ failure }: StoppingVerdict, one: string, several: string): string {
  const count = failure?.count ?? 1;
  return `${count} ${count === 1 ? one : several}`;
}

const namedChecks = 3;

function listNames(names: readonly string[]): string {
  const more = names.length - namedChecks;
  return more > 0 ? `${names.slice(0, namedChecks).join(", ")} and ${more} more` : names.join(", ");
}

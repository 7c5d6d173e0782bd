import { briefly } from "./failure.ts";
import { standingOfDone } from "./headline.ts";
import type { TaskHistory } from "./history.ts";
import { isWorkingPhase, type Phase } from "./phases.ts";
import { resumeLine } from "./resume-line.ts";
import { isStuck, type RunnerStop } from "./runner-stop.ts";
import type { OpenAsk, Standing, StandingAnswer, StandingFacts } from "./standing-facts.ts";
import { isUnblocked } from "./state-view.ts";
import { oneLine } from "./wording.ts";

/** The first matching rule decides. */
export function standingOf(facts: StandingFacts): StandingAnswer {
  const { phase, history, wrong } = facts;
  if (facts.locked) return answer("running", "a runner holds it");
  if (facts.cutOff) return runnable(facts, "its last run was cut off; the next one recovers it");
  if (facts.unreadable !== null) return answer("unreadable", facts.unreadable);
  if (wrong !== null && phase !== "done") return { ...answer("waits", wrong), who: "person", tone: "stopped" };
  if (facts.retry && retryContinues(facts))
    return runnable(facts, "RETRY is in CONTROL.md; the next run continues the task");
  if (history.cancelled !== null && phase !== "done") return cancelledBy(history.cancelled, facts.name, phase);
  if (facts.edited && wrong === null)
    return runnable(facts, "STATE.md is not as it was last accepted; the next run judges the edit");
  if (phase === "done") return { ...answer("done", ""), ...standingOfDone(history.lastVerdict, facts) };
  if (phase === "blocked" || isHeld(facts)) return blocked(facts);
  if (facts.questions.length > 0) return asks(facts);
  if (phase === "needs_user_decision") return decided(facts);
  if (facts.paused !== null) return answer("paused", facts.paused);
  if (facts.waitsFor.length > 0) return waits(facts.waitsFor);
  const { held } = facts;
  if (held?.standing === "paused" || held?.standing === "waits") return answer(held.standing, held.why, held.brief);
  return next(facts);
}

/** Whether a run could do something, or could once a model is available, or what it was refused for is mended. */
export function isRunnable({ standing }: Pick<StandingAnswer, "standing">): boolean {
  return standing === "runnable" || standing === "cooling" || standing === "refused";
}

export function statusOf({ standing, brief }: Pick<StandingAnswer, "standing" | "brief">): string {
  return brief === "" ? standing : `${standing}: ${brief}`;
}

const usual: Readonly<Record<Standing, Pick<StandingAnswer, "who" | "tone">>> = {
  asks: { who: "person", tone: "asking" },
  stuck: { who: "person", tone: "stopped" },
  blocked: { who: "person", tone: "stopped" },
  refused: { who: "person", tone: "stopped" },
  unreadable: { who: "person", tone: "stopped" },
  running: { who: "runner", tone: "working" },
  runnable: { who: "runner", tone: "working" },
  cooling: { who: "runner", tone: "working" },
  waits: { who: "tasks", tone: "quiet" },
  paused: { who: "person", tone: "quiet" },
  cancelled: { who: "person", tone: "quiet" },
  done: { who: "nobody", tone: "good" },
};

function answer(standing: Standing, why: string, brief = why): StandingAnswer {
  return { standing, brief, why, callsModel: false, until: null, ...usual[standing] };
}

function runnable({ coolingUntil }: StandingFacts, why: string): StandingAnswer {
  return { ...answer("runnable", why), until: coolingUntil };
}

function waits(open: readonly string[]): StandingAnswer {
  return answer("waits", `waits for ${open.join(", ")}`, `for ${open.join(", ")}`);
}

function next({ phase, coolingUntil, hindered, held }: StandingFacts): StandingAnswer {
  const until =
    [coolingUntil, hindered?.until ?? null]
      .filter((time) => time !== null)
      .sort()
      .at(-1) ?? null;
  if (hindered !== null && hindered.until === null)
    return { ...answer("refused", hindered.why), callsModel: true, until };
  if (held?.standing === "refused") return { ...answer("refused", held.why, held.brief), callsModel: true, until };
  const comes =
    held?.standing === "runnable" ? `${held.why}; the next run continues` : `a pass in ${phase ?? "intake"} comes next`;
  const why = until === null ? "" : `, not before ${until}: ${hindered?.why ?? "every model is cooling down"}`;
  return { ...answer(until === null ? "runnable" : "cooling", `${comes}${why}`), callsModel: true, until };
}

export function cancelledBy(at: string, task: string, phase: Phase | null): StandingAnswer {
  const to = phase !== null && isWorkingPhase(phase) ? phase : "PHASE";
  const go = `RETRY in CONTROL.md or ${resumeLine(task, to)} continues it`;
  return answer("cancelled", `a person cancelled it at ${at}; ${go}`, `by a person; ${go}`);
}

function blocked({ history: { stop }, blockers }: StandingFacts): StandingAnswer {
  if (stop !== null) return answer(isStuck(stop) ? "stuck" : "blocked", stop.happened);
  return answer("blocked", isUnblocked(blockers) ? "Blockers is empty" : briefly(oneLine(blockers)));
}

/** Waits for an answer, or for the time of a safe default. */
function asks(facts: StandingFacts): StandingAnswer {
  const { questions, phase } = facts;
  const { stop } = facts.history;
  const due = questions.find((question) => question.due);
  if (due !== undefined)
    return runnable(facts, `the deadline of ${due.id} has passed; the next run takes its safe default`);
  const brief = listSome(questions, 1, (question) => renderQuestion(question, stop));
  const why = listSome(questions, namedQuestions, (question) => renderAsk(question, stop));
  if (phase === "needs_user_decision" && stop !== null && isStuck(stop))
    return answer(
      "stuck",
      `${stop.happened}; open: ${listSome(questions, namedQuestions, ({ id, place }) => `${id} (${place})`)}`,
      stop.happened,
    );
  const until = questions.flatMap(({ takenFrom }) => takenFrom ?? []).sort()[0] ?? null;
  return { ...answer("asks", why, brief), until };
}

function decided(facts: StandingFacts): StandingAnswer {
  const { askedFrom, stop } = facts.history;
  if (facts.answered) return runnable(facts, `every question is answered; the next run continues in ${askedFrom}`);
  const resume = resumeLine(facts.name, askedFrom ?? "PHASE");
  const why = `no question is open, and none from this stop was answered; a person continues with ${resume}`;
  if (stop === null) return answer("asks", why);
  return answer(isStuck(stop) ? "stuck" : "asks", `${stop.happened}; ${why}`, stop.happened);
}

const namedQuestions = 3;

function listSome(questions: readonly OpenAsk[], most: number, tell: (question: OpenAsk) => string): string {
  const more = questions.length - most;
  return `${questions.slice(0, most).map(tell).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export function renderAsk(question: OpenAsk, stop: RunnerStop | null): string {
  const { place, end } = question;
  return `${renderQuestion(question, stop)} (${place}${end === "" ? "" : `; ${end}`})`;
}

/** The runner's question after a stop needs the cause. */
function renderQuestion({ id, title, question, ofStop }: OpenAsk, stop: RunnerStop | null): string {
  const asked = briefly(oneLine(title === "" ? question : title));
  return `${id} ${ofStop && stop !== null ? `${stop.happened}. ${asked}` : asked}`.trim();
}

interface RetryFacts {
  readonly phase: Phase | null;
  readonly history: Pick<TaskHistory, "stop" | "cancelled">;
  readonly blockers: string;
  /** Open ones; `ofStop`: the runner asks how to continue after its stop. */
  readonly questions: readonly { readonly ofStop: boolean }[];
}

/** Intake has no way out in the table: a task stopped there is held until Blockers are cleared. */
function isHeld({ phase, history, blockers }: Omit<RetryFacts, "questions">): boolean {
  return phase === "intake" && history.stop !== null && !isUnblocked(blockers);
}

/**
 * Whether a person's RETRY continues the task: it is cancelled, blocked or held, or only waits for leave to continue. A
 * question about the work itself needs its answer.
 */
export function retryContinues(facts: RetryFacts): boolean {
  const { phase, history, questions } = facts;
  if (phase === "done") return false;
  if (history.cancelled !== null || phase === "blocked" || isHeld(facts)) return true;
  return phase === "needs_user_decision" && questions.every(({ ofStop }) => ofStop);
}

import type { PassRunner } from "../../rules/events.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { shorten } from "../../text/shorten.ts";

/** `stopped`: the runner stopped the task outside a pass. */
export type CommittedMove = Pick<VerdictEvent, "from" | "to" | "pass"> & {
  readonly verdict: VerdictEvent["verdict"] | "stopped";
  /** Their ids. */
  readonly open_questions?: readonly string[];
};

/** The transition as subject, and trailers that identify the commit. */
export function commitMessage(
  task: string,
  event: CommittedMove,
  {
    reviews = [],
    subject = null,
    runner,
  }: { reviews?: readonly string[]; subject?: string | null; runner?: PassRunner } = {},
): string {
  const { from, to, verdict, pass, open_questions: asked = [] } = event;
  const asks = asked.length === 0 ? "" : `, asks ${asked.join(", ")}`;
  const lines = reviews.map((review) => `Task-Phase-Review: ${shorten(review, 200)}\n`).join("") + trailersOf(runner);
  const move = `task-phase: ${shorten(task, 60)} ${from} → ${to} (${verdict}${asks}, pass ${pass})`;
  const trailers = asked.length === 0 ? "" : `Task-Phase-Asks: ${asked.join(", ")}\n`;
  return `${subject ?? move}\n\nTask-Phase-Task: ${shownId(task)}\nTask-Phase-Pass: ${pass}\nTask-Phase-Verdict: ${verdict}\n${trailers}${lines}`;
}

interface ClaimWords {
  readonly pass: number;
  readonly phase: string;
  readonly model: string | null;
  /** Checks or reviewers run first. */
  readonly isAhead: boolean;
}

/** For the commit that claims a pass. Without a verdict, no reader takes it for a pass. */
export function claimMessage(task: string, { pass, phase, model, isAhead }: ClaimWords, runner: PassRunner): string {
  const does = isAhead ? "is claimed" : "begins";
  const subject = `task-phase: ${shorten(task, 60)} pass ${pass} ${does} (${phase}, ${shorten(model ?? "no model", 60)})`;
  return `${subject}\n\nTask-Phase-Task: ${shownId(task)}\nTask-Phase-Claim: ${pass}\n${trailersOf(runner)}`;
}

function trailersOf(runner: PassRunner | undefined): string {
  if (runner === undefined) return "";
  return `Task-Phase-Worker: ${shorten(runner.worker, 100)}\nTask-Phase-Attempt: ${shorten(runner.attempt, 100)}\n`;
}

export function shownId(task: string): string {
  return shorten(task.trim(), 200);
}

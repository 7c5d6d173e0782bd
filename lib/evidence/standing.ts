import type { VerdictEvent } from "../machine/events.ts";
import { headlineOf, proofOf } from "../machine/headline.ts";
import type { Phase } from "../machine/phases.ts";
import type { Proof } from "../machine/square.ts";
import { isUnblocked, type StateView } from "../machine/state-view.ts";
import { shortHash, words } from "./words.ts";

/** Where the task stands, in words. */
export interface Standing {
  /** `amber`: done, and less is shown than a reader would expect. */
  readonly tone: "good" | "amber" | "working" | "asking" | "stopped";
  readonly headline: string;
  /** One or two sentences; text of files may stand in it. */
  readonly detail: string;
}

/** Why the runner itself stopped the task, by the journal. */
export interface RunnerStop {
  /** What it wrote to Blockers; null where it stopped nothing since the task was opened. */
  readonly blockers: string | null;
  /** What it asks; null where it asks nothing. */
  readonly question: string | null;
}

/**
 * The standing as the newest verdict and the present phase give it; the state's own words are quoted, never trusted. The
 * tone is that of the task: what the loop repairs by itself is at work, what waits for a person is stopped or asks.
 */
export function describeStanding(
  phase: Phase | null,
  last: VerdictEvent | null,
  state: StateView | null,
  stop: RunnerStop = { blockers: null, question: null },
): Standing {
  const blockers = state !== null && !isUnblocked(state.fields.blockers) ? state.fields.blockers : "";
  if (phase === "done") return doneStanding(last);
  if (phase === "blocked")
    return {
      tone: "stopped",
      headline: "Blocked",
      detail: blockers || "Blockers in STATE.md says what stands in the way.",
    };
  if (phase === "needs_user_decision") {
    const detail = stop.question ?? (blockers || "DECISIONS.md holds the question.");
    return { tone: "asking", headline: "A person must decide", detail };
  }
  if (phase === "intake" && stop.blockers !== null && blockers !== "") {
    return { tone: "stopped", headline: "Stopped in intake", detail: blockers };
  }
  const where = phase === null ? "Not started" : `In ${words(phase)}`;
  if (last === null) return { tone: "working", headline: where, detail: "No pass has run yet." };
  switch (last.verdict) {
    case "accepted":
      return { tone: "working", headline: where, detail: `Pass ${last.pass} was accepted: ${last.reason}.` };
    case "redirected":
      return { tone: "working", headline: `${where}: pass ${last.pass} was sent to repair`, detail: last.reason };
    case "rejected":
      return { tone: "working", headline: `${where}: pass ${last.pass} was rejected`, detail: last.reason };
    default:
      return {
        tone: "working",
        headline: `${where}: pass ${last.pass} ended as ${words(last.verdict)}`,
        detail: last.reason,
      };
  }
}

function doneStanding(last: VerdictEvent | null): Standing {
  if (last?.to !== "done" || last.verdict !== "accepted" || last.checks === null) {
    return {
      tone: "stopped",
      headline: "Done, but no proof is recorded",
      detail: "The journal holds no accepted verdict that proves it.",
    };
  }
  const proof = proofOf(last);
  const { tone, text } = headlineOf(proof);
  return { tone, headline: text, detail: describeProof(last, proof) };
}

/** Which checks tell the work from none, and on which code. */
function describeProof({ pass, checks }: VerdictEvent, { grade, failing }: Proof): string {
  const print = shortHash(checks?.fingerprint_after ?? "");
  const ran = `The runner itself ran the checks in pass ${pass}, on the repo with fingerprint ${print}.`;
  return grade === "shown" ? `${ran} Without this work these fail: ${failing.join(", ")}.` : ran;
}

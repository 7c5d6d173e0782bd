import { headlineOf, isProven, renderMovedSince, renderProof } from "../../rules/headline.ts";
import type { Proof } from "../../rules/matrix.ts";
import { standingOf } from "../../rules/standing.ts";
import type { StandingAnswer, StandingFacts } from "../../rules/standing-facts.ts";
import { isUnblocked } from "../../rules/state-view.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { capital } from "../../rules/wording.ts";
import { words } from "../view/format.ts";

export interface Banner {
  readonly tone: StandingAnswer["tone"];
  readonly headline: string;
  /** One or two sentences; text of files may be part of it. */
  readonly detail: string;
}

/** With the whole of the newest verdict. */
export type BannerFacts = StandingFacts & { readonly history: { readonly lastVerdict: VerdictEvent | null } };

/** The standing as a banner; the state's own words are quoted, never trusted. */
export function toBanner(facts: BannerFacts): Banner {
  const answer = standingOf(facts);
  const { tone, brief, why } = answer;
  const { stop } = facts.history;
  const blockers = isUnblocked(facts.blockers) ? "" : facts.blockers;
  switch (answer.standing) {
    case "done":
      return doneBanner(facts, answer);
    case "stuck":
      return { tone, headline: `Stuck: ${brief}`, detail: stop?.question ?? (blockers || `${why}.`) };
    case "blocked":
      return stop === null
        ? { tone, headline: "Blocked", detail: blockers || "Blockers in STATE.md names the obstacle." }
        : { tone, headline: `Blocked: ${brief}`, detail: blockers };
    case "asks":
      return {
        tone,
        headline: facts.questions.length === 0 ? "A person must decide" : `Asks: ${brief}`,
        detail: stop?.question ?? `Open: ${why}.`,
      };
    case "refused":
      return {
        tone,
        headline: `Refused: ${brief}`,
        detail: `No pass begins until a person mends this: ${why.replace(/(?<!\?)$/, ".")}`,
      };
    case "paused":
    case "waits":
      return { tone, headline: answer.standing === "paused" ? "Paused" : "Waits for other tasks", detail: `${why}.` };
    case "cancelled":
      return { tone, headline: "Cancelled", detail: `${why}.` };
    default: {
      const work = workBanner(facts);
      const first = facts.held?.standing === "runnable" ? `${capital(why)}. ` : "";
      return { tone, headline: work.headline, detail: `${first}${work.detail}` };
    }
  }
}

/** The result of the newest pass; the loop continues by itself. */
function workBanner({ phase, history: { lastVerdict: last } }: BannerFacts): Omit<Banner, "tone"> {
  const where = phase === null ? "Not started" : `In ${words(phase)}`;
  if (last === null) return { headline: where, detail: "No pass has run yet." };
  switch (last.verdict) {
    case "accepted":
      return { headline: where, detail: `Pass ${last.pass} was accepted: ${last.reason}.` };
    case "redirected":
      return { headline: `${where}: pass ${last.pass} was sent to repair`, detail: last.reason };
    case "rejected":
      return { headline: `${where}: pass ${last.pass} was rejected`, detail: last.reason };
    default:
      return { headline: `${where}: pass ${last.pass} ended as ${words(last.verdict)}`, detail: last.reason };
  }
}

function doneBanner({ history: { lastVerdict: last }, moved }: BannerFacts, { tone }: StandingAnswer): Banner {
  if (!isProven(last)) {
    const detail = "The journal holds no accepted verdict that proves it.";
    return { tone, headline: "Done, but no proof is recorded", detail };
  }
  const { proof } = last;
  const headline =
    moved === null ? headlineOf(proof).text : `Done, ${renderMovedSince(moved)}. ${renderProof(proof).shows}`;
  return { tone, headline, detail: renderDoneProof(last, proof) };
}

/** Who ran the checks, and those that fail without the work. */
function renderDoneProof({ pass, checks }: VerdictEvent, { failing }: Proof): string {
  const ran = `The runner itself ran the checks in pass ${checks?.taken?.pass ?? pass}.`;
  return failing.length > 0 ? `${ran} Without this work these fail: ${failing.join(", ")}.` : ran;
}

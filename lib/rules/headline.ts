import { noFileChanged, noTestRan, oldFail, type Proof } from "./matrix.ts";
import type { EndingVerdict, Moved, StandingAnswer, StandingFacts } from "./standing-facts.ts";
import { plural } from "./wording.ts";

/** The first line of every report of `done`. */
export interface Headline {
  /** `amber`: the proof shows less than a reader would expect. */
  readonly tone: "good" | "amber";
  /** One or two sentences without a newline. */
  readonly text: string;
}

/** Says no more than the proof shows. */
export function headlineOf(proof: Proof): Headline {
  const { tone, shows } = renderProof(proof);
  // A sentence that takes something back goes on from the word itself.
  if (proof.grade === "hollow" || proof.undelivered !== undefined)
    return { tone, text: `Done, but ${lowerFirst(shows)}` };
  return { tone, text: `Done. ${shows}` };
}

/** The basis of `done`, without that word. Unsteady checks and a person's look are added to what ran, but are no part of it. */
export function renderProof(proof: Proof): { readonly tone: Headline["tone"]; readonly shows: string } {
  const { looked, undelivered, unsteady = [], on_top: tasks = [] } = proof;
  const run = renderRun(proof);
  const { tone, shows } =
    undelivered === undefined ? run : { tone: "amber" as const, shows: `${undelivered}; ${lowerFirst(run.shows)}` };
  const person = looked.length === 0 ? [] : [`A person looked at ${looked.join(", ")} and said yes`];
  const below = tasks.length === 0 ? [] : [`It builds on the work of ${tasks.join(", ")}, which was not committed`];
  return { tone, shows: [shows, ...unsteady, ...below, ...person].join(". ") };
}

function renderRun(proof: Proof): { readonly tone: Headline["tone"]; readonly shows: string } {
  const isOne = proof.passed === 1;
  const checks = isOne ? "The check passes" : `${proof.passed} checks pass`;
  switch (proof.grade) {
    case "shown":
      return { tone: "good", shows: `${checks}; ${renderFailing(proof)}${renderNoticed(proof)}` };
    case "hollow": {
      const { tried = 0, noticed = 0, can_fail = true, standing = 0 } = proof.wrong ?? {};
      const missed = tried - noticed;
      const versions = `of ${plural(tried, "wrong version")} of it`;
      const why = !can_fail
        ? "what they expect can be wrong too"
        : noticed === 0
          ? `none ${versions} is noticed`
          : standing === noticed
            ? `only tests that pass without it notice ${standing} ${versions}`
            : missed > 0
              ? `${missed} ${versions} ${missed === 1 ? "goes" : "go"} unnoticed`
              : `tests that fail without it do not notice ${standing} ${versions}`;
      return { tone: "amber", shows: `The checks only need the new code to be there: ${why}` };
    }
    case "kept":
      return {
        tone: "amber",
        shows:
          proof.reason === noFileChanged
            ? "No file of the repo was changed"
            : proof.reason === noTestRan
              ? `${checks}, but no test ran`
              : proof.reason === oldFail
                ? "No check fails without this work, and old tests or checks fail with it"
                : "Nothing broke, but no check fails without this work",
      };
    case "unshown": {
      const reason = proof.reason ?? "not judged";
      const notice = isOne ? "it notices" : "they notice";
      return { tone: "amber", shows: `${checks}; whether ${notice} this work was not shown: ${reason}` };
    }
  }
}

/** The basis of `done`, and whether the code or the brief is another since. */
export function standingOfDone(
  last: EndingVerdict | null,
  { moved, briefEdited }: Pick<StandingFacts, "moved" | "briefEdited">,
): Pick<StandingAnswer, "brief" | "why" | "who" | "tone"> {
  if (!isProven(last)) {
    const text = "no proof is recorded";
    return { brief: text, why: text, who: "person", tone: "stopped" };
  }
  const { tone, shows } = renderProof(last.proof);
  const since = [moved === null ? [] : renderMovedSince(moved), briefEdited ? "the brief was edited since" : []].flat();
  const text = [...since, lowerFirst(shows)].join("; ");
  return { brief: text, why: text, who: "nobody", tone };
}

export function isProven<Verdict extends EndingVerdict>(
  last: Verdict | null,
): last is Verdict & { readonly proof: Proof } {
  return last?.to === "done" && last.verdict === "accepted" && last.checks !== null && last.proof !== null;
}

/** `moved since: 3 paths` */
export function renderMovedSince(moved: Moved): string {
  if (moved.kind === "unseen") return `it is not known whether the code has moved since (${moved.reason})`;
  if (moved.kind === "unknown") return `moved since (${moved.reason})`;
  return `moved since: ${plural(moved.count, "path")}`;
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function renderFailing({ passed, failing, only_own }: Proof): string {
  if (only_own) return "without this work only tests written with it fail";
  if (passed === 1) return "without this work it fails";
  return `without this work, ${failing.length} of them ${failing.length === 1 ? "fails" : "fail"}`;
}

function renderNoticed({ passed, wrong }: Proof): string {
  if (wrong === null) return "";
  const notice = passed === 1 ? "it notices" : "they notice";
  return `; ${notice} ${wrong.noticed} of ${wrong.tried} wrong ${wrong.tried === 1 ? "version" : "versions"} of it`;
}

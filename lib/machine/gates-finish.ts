import { checksHold } from "./check-run.ts";
import { standingFingerprint } from "./facts.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import { isNoneOrEmpty } from "./state-view.ts";

/** Beyond the gates of `review`. */
export function finished(input: GateInput): Gate[] {
  const { fields } = input.state;
  const same = input.reviewed_fingerprint !== null && standingFingerprint(input) === input.reviewed_fingerprint;
  const holds = input.checks !== null && checksHold(input.checks);
  const revalidated =
    input.before.fields.repair_applied !== "yes" || input.before.fields.revalidation_status === "pass" || holds;
  const open = input.steps.after.filter((step) => !step.done);
  const firstOpen = open[0]?.text.slice(0, 120);
  const stillBlocked = `Blockers is still: ${fields.blockers.slice(0, 120)}`;
  const promise = input.policy.completion_promise;
  return [
    {
      ...gate(
        "review_kept_code",
        "The code is that of the accepted verify → review",
        same,
        same
          ? "same fingerprint"
          : input.reviewed_fingerprint === null
            ? "no verify → review was accepted since the task was opened"
            : "the repo changed since it was verified; review must not change code",
        input.reviewed_fingerprint === null
          ? "no verify → review was accepted since the task was opened"
          : "the code moved since the accepted verify → review: the repo changed, but review must not change code",
      ),
      onFailure: "redirect",
    },
    gate(
      "candidate_done",
      "Candidate done is yes",
      fields.candidate_done === "yes",
      `it is ${fields.candidate_done}`,
      `Candidate done is ${fields.candidate_done}, but done needs yes`,
    ),
    gate(
      "revalidated",
      "A repair was revalidated",
      revalidated,
      input.before.fields.repair_applied !== "yes"
        ? "no repair was applied"
        : `Revalidation status is ${input.before.fields.revalidation_status}`,
      `the repair was not revalidated: Revalidation status is ${input.before.fields.revalidation_status}`,
    ),
    gate(
      "no_blockers",
      "Blockers is none or empty",
      isNoneOrEmpty(fields.blockers),
      isNoneOrEmpty(fields.blockers) ? "none" : stillBlocked,
      stillBlocked,
    ),
    gate(
      "steps_done",
      "No item of TASKS.md is open",
      open.length === 0,
      open.length === 0 ? "none open" : `${open.length} open, the first: ${firstOpen}`,
      `TASKS.md has ${open.length} open ${open.length === 1 ? "item" : "items"}, the first: ${firstOpen}`,
    ),
    ...(promise === null ? [] : [promiseGiven(input, promise)]),
  ];
}

function promiseGiven({ promise_seen: seen, promise_problem: problem }: GateInput, word: string): Gate {
  const why = `the completion promise was not given: ${problem}`;
  return gate(
    "promise",
    "The model gave the promise at the end of its final text",
    seen,
    seen ? "it did" : why,
    `${why}; end the final text with this line, alone: <promise>${word}</promise>`,
  );
}

import { type CheckResult, type CheckRun, checksHold, renderAttribution, stoodStill } from "./check-run.ts";
import { type Policy, standingFingerprint } from "./facts.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import { isNoneOrEmpty } from "./state-view.ts";
import { renderFlip } from "./steadiness.ts";
import { plural } from "./wording.ts";

export function requiredValidators(input: GateInput): Gate {
  const names = input.policy.required_validators;
  const missing =
    "the contract has no required validator, so nothing can prove the work; add `validators` to the front matter of README.md";
  return gate(
    "no_required_validator",
    "At least one required validator ran",
    names.length > 0,
    names.length > 0 ? names.join(", ") : missing,
    missing,
  );
}

export function checksPassed(input: GateInput): Gate[] {
  const { checks } = input;
  if (checks === null) {
    return [
      gate(
        "checks_ran",
        "Validators and scenarios ran",
        false,
        "they have not run on the current fingerprint",
        "validators and scenarios have not run on the current fingerprint",
      ),
    ];
  }
  const gates = checks.results
    .filter((result) => result.required)
    .map((result): Gate => {
      const ok = result.status === "pass";
      const how =
        result.unmet !== undefined
          ? result.unmet
          : result.status === "fail"
            ? `ended with ${result.exit_code ?? result.signal}`
            : result.status.replace("_", " ");
      return {
        ...gate(
          `${result.kind}_${result.name}`,
          `${result.kind} ${result.name} passes`,
          ok,
          ok ? "exit code 0" : `${how}; see ${result.log}`,
          `${result.kind} ${result.name} failed: ${flipped(result)}${howItFailed(result)}; see ${result.log}`,
        ),
        onFailure: "redirect",
      };
    });
  gates.push(requiredRan(input.policy, checks));
  const still = stoodStill(checks);
  const moved = checks.moved.slice(0, 20).join(", ") || "the repo";
  gates.push({
    ...gate(
      "checks_moved_repo",
      "The checks leave the repo unchanged",
      still,
      checks.failed_first === true
        ? "not judged: a check failed first"
        : still
          ? "they did"
          : `the checks themselves changed ${moved}, twice`,
      `the checks change the repo while they run: they changed ${moved}, twice`,
    ),
    onFailure: "redirect",
  });
  const present = checks.fingerprint_after === standingFingerprint(input);
  gates.push(
    gate(
      "checks_on_present_code",
      "The checks ran on the current code",
      present,
      present ? "same fingerprint" : "the repo changed after the checks",
      "the checks did not run on the current code: the repo changed after them",
    ),
  );
  return gates;
}

/** A required check without a result has not passed. */
function requiredRan(policy: Policy, checks: CheckRun): Gate {
  const ran = (kind: "validator" | "scenario") =>
    checks.results.filter((result) => result.kind === kind && result.required).map((result) => result.name);
  const missing = [
    ...policy.required_validators.filter((name) => !ran("validator").includes(name)),
    ...policy.required_scenarios.filter((name) => !ran("scenario").includes(name)),
  ];
  return gate(
    "required_ran",
    "Every required validator and scenario ran",
    missing.length === 0,
    missing.length === 0 ? "all did" : `no result of ${missing.join(", ")}`,
    `not every required validator and scenario ran: no result of ${missing.join(", ")}`,
  );
}

/** First, so that no cut takes it away. */
function flipped({ passes }: CheckResult): string {
  return passes === undefined ? "" : `${renderFlip(passes)}; `;
}

function howItFailed(check: CheckResult): string {
  const { status, exit_code, signal, unmet, failure } = check;
  const tests = failure?.broken_before === undefined ? "" : ` (${renderAttribution(check)})`;
  if (unmet !== undefined) return `${unmet}${tests}`;
  if (status === "timeout") return "it ran out of time";
  const said = failure?.said ?? null;
  return status === "fail"
    ? `it ended with ${exit_code ?? signal}${tests}${said === null ? "" : `: ${said}`}`
    : "it did not start";
}

/** Open in an accepted verdict: a person moved the code during the pass. */
export const keptCode = "The code is that of the accepted verify → review";

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
        keptCode,
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
      onFailure: input.moved_by_person ? "wait" : "redirect",
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
      `TASKS.md has ${plural(open.length, "open item")}, the first: ${firstOpen}`,
    ),
    ...(promise === null ? [] : [promiseGiven(input, promise)]),
  ];
}

export const promiseGate = "The model gave the promise at the end of its final text";

function promiseGiven({ promise_seen: seen, promise_problem: problem }: GateInput, word: string): Gate {
  const why = `the completion promise was not given: ${problem}`;
  return gate(
    "promise",
    promiseGate,
    seen,
    seen ? "it did" : why,
    `${why}; end the final text with this line, alone: <promise>${word}</promise>`,
  );
}

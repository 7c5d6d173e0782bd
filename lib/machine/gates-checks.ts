import { type CheckResult, type CheckRun, stoodStill } from "./check-run.ts";
import { type Policy, standingFingerprint } from "./facts.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";

export function requiredValidators(input: GateInput): Gate {
  const names = input.policy.required_validators;
  const missing =
    "the contract has no required validator, so nothing can prove the work; add `validators` to the front matter of README.md";
  return {
    ...gate(
      "no_required_validator",
      "At least one required validator ran",
      names.length > 0,
      names.length > 0 ? names.join(", ") : missing,
      missing,
    ),
    onFailure: "ask",
  };
}

/** On the current code. */
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
          `${result.kind} ${result.name} failed: ${howItFailed(result)}; see ${result.log}`,
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
          ? "it did"
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

function howItFailed({ status, exit_code, signal, unmet }: CheckResult): string {
  if (unmet !== undefined) return unmet;
  if (status === "timeout") return "it ran out of time";
  return status === "fail" ? `it ended with ${exit_code ?? signal}` : "it did not start";
}

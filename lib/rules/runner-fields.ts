import { type CheckRun, checksHold } from "./check-run.ts";
import type { RunnerFields } from "./decision.ts";
import type { Phase } from "./phases.ts";
import type { StateView } from "./state-view.ts";

/** Pending from entering verify until the checks ran; repair → verify leaves the revalidation pending. */
export function afterVerdict(before: StateView, to: Phase, checks: CheckRun | null): RunnerFields {
  const now = readRunnerFields(before);
  if (checks !== null) {
    const status = checksHold(checks) ? "pass" : "fail";
    return {
      ...now,
      validator_status: status,
      revalidation_status: now.repair_applied === "yes" ? status : now.revalidation_status,
    };
  }
  if (to !== "verify" || before.phase === "verify") return now;
  if (before.phase === "repair")
    return { validator_status: "pending", repair_applied: "yes", revalidation_status: "pending" };
  return { ...now, validator_status: "pending" };
}

export const reopenedFields: RunnerFields = {
  validator_status: "pending",
  repair_applied: "no",
  revalidation_status: "pending",
};

export function readRunnerFields(state: StateView): RunnerFields {
  const { validator_status, repair_applied, revalidation_status } = state.fields;
  return {
    validator_status: status(validator_status),
    repair_applied: repair_applied === "yes" ? "yes" : "no",
    revalidation_status: status(revalidation_status),
  };
}

function status(word: string): "pending" | "pass" | "fail" {
  return word === "pass" || word === "fail" ? word : "pending";
}

import { type Contract, type ContractCheck, isHeldOutCheck, isManualCheck, type Scenario } from "./contract.ts";
import type { PartialContract, WrittenContract } from "./contract-schema.ts";

/** Where package managers put what a lockfile names, and what git ignores therefore. */
export const carriedByDefault: readonly string[] = ["node_modules", ".venv", "venv", "vendor"];

/**
 * The contract beats the defaults of task-phase.yaml, also with a null that switches something off, and those beat the
 * built-in ones; a list replaces a list.
 */
export function applyDefaults(written: WrittenContract, defaults: PartialContract = {}): Contract {
  const both = { ...defaults, ...written };
  const proof = { ...defaults.proof, ...written.proof };
  const budget = { ...defaults.budget, ...written.budget };
  const review = { ...defaults.review, ...written.review };
  const needed = (both.depends_on ?? []).map((one) => (typeof one === "string" ? { id: one, proof: undefined } : one));
  const scenarios: readonly Scenario[] = both.scenarios ?? [];
  return {
    id: both.id,
    title: both.title,
    priority: both.priority ?? 0,
    dependsOn: needed.map(({ id }) => id),
    provenOnly: needed.flatMap(({ id, proof: wants }) => (wants === "shown" ? [id] : [])),
    source: written.source ?? null,
    repo: written.repo ?? defaults.repo ?? null,
    userFacing: both.user_facing ?? false,
    validators: both.validators ?? [],
    scenarios: scenarios.filter((check): check is ContractCheck => !isHeldOutCheck(check) && !isManualCheck(check)),
    heldOut: scenarios.filter(isHeldOutCheck),
    manual: scenarios.filter(isManualCheck),
    proof: {
      without: proof.without ?? "auto",
      clean: proof.clean ?? "auto",
      wrong: {
        mode: "auto",
        max: 8,
        time: 2,
        ...(typeof proof.wrong === "string" ? { mode: proof.wrong } : proof.wrong),
      },
      freshMs: proof.fresh ?? 60 * 60_000,
      carry: proof.carry ?? carriedByDefault,
      prepare: proof.prepare ?? [],
    },
    parallel: both.parallel ?? "auto",
    protected: both.protected ?? [],
    watched: both.watched ?? [],
    testsMayChange: both.tests_may_change ?? [],
    testsChanged: both.tests_changed ?? "block",
    budget: {
      passes: budget.passes ?? 20,
      repairs: budget.repairs ?? 5,
      moneyUsd: budget.money_usd ?? null,
      tokens: budget.tokens ?? null,
      timeMs: budget.time ?? null,
    },
    bounds: {
      verify: { files: 10, lines: 200, ...defaults.bounds?.verify, ...written.bounds?.verify },
      repair: { files: 20, lines: 400, ...defaults.bounds?.repair, ...written.bounds?.repair },
      over: written.bounds?.over ?? defaults.bounds?.over ?? "show",
    },
    retriesPerFailure: both.retries_per_failure ?? 2,
    advance: both.advance ?? "auto",
    review: { reviewers: review.reviewers ?? [], at: review.at ?? ["review"] },
    approve: both.approve ?? [],
    degradeOver: both.degrade === null ? null : (both.degrade?.when_over_pct ?? 0.8),
    questionWaitMs: both.question_wait ?? 10 * 60_000,
    completionPromise: both.completion_promise === undefined ? "COMPLETE" : both.completion_promise,
  };
}

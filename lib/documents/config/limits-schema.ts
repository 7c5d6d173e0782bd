import * as v from "valibot";
import type { BudgetLimits } from "../../rules/budgets.ts";
import { strictMap } from "../schema-findings.ts";
import { countSchema, durationSchema, moneySchema, tokensSchema } from "../value-schemas.ts";

export type Limits = BudgetLimits;

export const noLimits: Limits = { passes: null, moneyUsd: null, tokens: null, timeMs: null };

/** For one call of the loop, or a UTC day over several tasks. */
export const limitsSchema = strictMap({
  passes: v.nullish(countSchema(1)),
  money_usd: v.nullish(moneySchema),
  tokens: v.nullish(tokensSchema),
  time: v.nullish(durationSchema),
});

export function toLimits(written: v.InferOutput<typeof limitsSchema> | null | undefined): Limits {
  return {
    passes: written?.passes ?? null,
    moneyUsd: written?.money_usd ?? null,
    tokens: written?.tokens ?? null,
    timeMs: written?.time ?? null,
  };
}

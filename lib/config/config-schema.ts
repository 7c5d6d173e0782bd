import * as v from "valibot";
import {
  countSchema,
  durationSchema,
  listSchema,
  moneySchema,
  partialContractSchema,
  tokensSchema,
} from "../task-folder/contract.ts";
import { expectsWord, notAvailable, strictMap } from "../task-folder/schema-findings.ts";
import { modelSchema } from "./model-schema.ts";
import { notifySchema } from "./notify-schema.ts";

const selections = ["round_robin", "priority"] as const;
const sandboxes = ["none", "bwrap"] as const;
const checkpoints = ["patch", "commit", "push"] as const;
const isEmptyMap = (value: unknown): boolean => isMap(value) && Object.keys(value).length === 0;

/** A map whose every value is null or empty. */
const isOffMap = (value: unknown): boolean =>
  isMap(value) && Object.values(value).every((inner) => inner === null || isEmptyMap(inner));

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What one call of the loop, or one UTC day over all tasks of the root, may use up; null or missing: no limit. */
const limitsSchema = strictMap({
  passes: v.nullish(countSchema(1)),
  money_usd: v.nullish(moneySchema),
  tokens: v.nullish(tokensSchema),
  time: v.nullish(durationSchema),
});

const pollSchema = v.pipe(
  durationSchema,
  v.check((ms) => ms >= 1_000 && ms <= 3_600_000, "must be from 1s up to 1h\nwrite a duration such as 30s"),
);

/** task-phase.yaml. What this version does not do is refused by name, unless it is written as switched off. */
export const configSchema = strictMap({
  model_selection: v.optional(
    v.picklist(selections, expectsWord(selections, "round_robin or priority", "write model_selection: priority")),
  ),
  models: v.optional(v.nullable(listSchema(modelSchema, "models", "models: [{ name: claude, adapter: claude }]"))),
  budget: v.nullish(strictMap({ run: v.nullish(limitsSchema), day: v.nullish(limitsSchema) })),
  checkpoint: v.nullish(
    v.picklist(checkpoints, expectsWord(checkpoints, "patch, commit or push", "write checkpoint: patch")),
  ),
  evidence: notAvailable(isOffMap),
  control: v.nullish(strictMap({ poll: v.optional(pollSchema) })),
  notify: v.nullish(notifySchema),
  sandbox: v.nullish(v.picklist(sandboxes, expectsWord(sandboxes, "none or bwrap", "write sandbox: none"))),
  defaults: v.optional(v.nullable(partialContractSchema)),
});

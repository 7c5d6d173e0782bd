import * as v from "valibot";
import { listSchema, partialContractSchema } from "../task-folder/contract.ts";
import { expectsWord, notAvailable, strictMap } from "../task-folder/schema-findings.ts";
import { modelSchema } from "./model-schema.ts";

const selections = ["round_robin", "priority"] as const;
const sandboxes = ["none", "bwrap"] as const;
const never = (): boolean => false;
const isEmptyMap = (value: unknown): boolean => isMap(value) && Object.keys(value).length === 0;

/** A map whose every value is null or empty. */
const isOffMap = (value: unknown): boolean =>
  isMap(value) && Object.values(value).every((inner) => inner === null || isEmptyMap(inner));

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** task-phase.yaml. What this version does not do is refused by name, unless it is written as switched off. */
export const configSchema = strictMap({
  model_selection: v.optional(
    v.picklist(selections, expectsWord(selections, "round_robin or priority", "write model_selection: priority")),
  ),
  models: v.optional(v.nullable(listSchema(modelSchema, "models", "models: [{ name: claude, adapter: claude }]"))),
  budget: notAvailable(isOffMap),
  checkpoint: notAvailable(never),
  evidence: notAvailable(isOffMap),
  control: notAvailable(isEmptyMap),
  notify: notAvailable(isOffMap),
  sandbox: v.nullish(v.picklist(sandboxes, expectsWord(sandboxes, "none or bwrap", "write sandbox: none"))),
  defaults: v.optional(v.nullable(partialContractSchema)),
});

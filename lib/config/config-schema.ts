import * as v from "valibot";
import { checkpointModes } from "../machine/checkpoint-mode.ts";
import { partialContractSchema } from "../task-folder/contract-schema.ts";
import { expectsWord, strictMap } from "../task-folder/schema-findings.ts";
import { durationSchema, listSchema } from "../task-folder/value-schemas.ts";
import { evidenceSchema } from "./evidence-schema.ts";
import { fleetSchema } from "./fleet-schema.ts";
import { limitsSchema } from "./limits-schema.ts";
import { modelSchema } from "./model-schema.ts";
import { notifySchema } from "./notify-schema.ts";

const selections = ["round_robin", "priority"] as const;
const sandboxes = ["none", "bwrap"] as const;
const commits = ["pass", "task"] as const;
const keeps = ["all", "proof"] as const;
const signs = ["none", "ssh"] as const;

const pollSchema = v.pipe(
  durationSchema,
  v.check((ms) => ms >= 1_000 && ms <= 3_600_000, "must be between 1s and 1h\nwrite a duration such as 30s"),
);

/** task-phase.yaml. */
export const configSchema = strictMap({
  model_selection: v.optional(
    v.picklist(selections, expectsWord(selections, "round_robin or priority", "write model_selection: priority")),
  ),
  models: v.optional(v.nullable(listSchema(modelSchema, "models", "models: [{ name: claude, adapter: claude }]"))),
  budget: v.nullish(strictMap({ run: v.nullish(limitsSchema), day: v.nullish(limitsSchema) })),
  checkpoint: v.nullish(
    v.picklist(checkpointModes, expectsWord(checkpointModes, "patch, commit or push", "write checkpoint: patch")),
  ),
  commits: v.nullish(v.picklist(commits, expectsWord(commits, "pass or task", "write commits: task"))),
  keep: v.nullish(v.picklist(keeps, expectsWord(keeps, "all or proof", "write keep: proof"))),
  sign: v.nullish(v.picklist(signs, expectsWord(signs, "none or ssh", "write sign: none"))),
  evidence: v.nullish(evidenceSchema),
  control: v.nullish(strictMap({ poll: v.optional(pollSchema) })),
  notify: v.nullish(notifySchema),
  sandbox: v.nullish(v.picklist(sandboxes, expectsWord(sandboxes, "none or bwrap", "write sandbox: none"))),
  fleet: v.nullish(fleetSchema),
  defaults: v.optional(v.nullable(partialContractSchema)),
});

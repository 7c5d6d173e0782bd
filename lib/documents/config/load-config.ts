import { dirname, resolve } from "node:path";
import type * as v from "valibot";
import type { CheckpointMode } from "../../rules/words.ts";
import { realOr } from "../../store/folder.ts";
import { type ReadResult, readRegularFile } from "../../store/read-file.ts";
import { configError, TaskPhaseError } from "../../text/errors.ts";
import { errorFinding, type Finding } from "../../text/finding.ts";
import { renderKnownNames } from "../../text/nearest.ts";
import { shorten } from "../../text/shorten.ts";
import { checkText } from "../check-text.ts";
import type { PartialContract } from "../contract-schema.ts";
import { checkSchema } from "../schema-findings.ts";
import { readStrictYaml, type StrictYaml } from "../strict-yaml.ts";
import {
  configSchema,
  type EvidenceConfig,
  type NotifyConfig,
  toEvidenceConfig,
  toNotifyConfig,
} from "./config-schema.ts";
import { type ConfigRequest, type FoundConfig, findConfig } from "./find-config.ts";
import { type FleetConfig, toFleetConfig } from "./fleet-schema.ts";
import { judgeModels } from "./judge-models.ts";
import { type Limits, toLimits } from "./limits-schema.ts";
import { type ModelConfig, toModelConfig, type WrittenModel } from "./model-schema.ts";
import { requireOwner } from "./require-owner.ts";

export { applyDefaults } from "../contract-defaults.ts";
export { type Limits, noLimits } from "./limits-schema.ts";
export type { ModelConfig } from "./model-schema.ts";

export interface LoadedConfig {
  readonly path: string | null;
  readonly folder: string;
  readonly models: readonly ModelConfig[];
  readonly modelSelection: "round_robin" | "priority";
  readonly sandbox: "none" | "bwrap";
  readonly budget: { readonly run: Limits; readonly day: Limits };
  /** How git keeps each pass's work, besides the journal. */
  readonly checkpoint: CheckpointMode;
  /** With commit or push: a commit for each pass, or one at the task's end. */
  readonly commits: "pass" | "task";
  /** Pass folders of a finished task: all, or what its proof needs. */
  readonly keep: "all" | "proof";
  /** With ssh the runner's key signs commits and the attestation of a finished task. */
  readonly sign: "none" | "ssh";
  /** Where a pass works: in the working tree, or in a clone of its own, on the branch of the task. */
  readonly workspace: "here" | "branch";
  readonly control: { readonly pollMs: number };
  readonly notify: NotifyConfig;
  readonly evidence: EvidenceConfig;
  readonly fleet: FleetConfig | null;
  /** Contract keys for tasks that do not set them. */
  readonly defaults: PartialContract;
}

/** Throws a config error with every problem found. */
export function loadConfig(request: ConfigRequest): LoadedConfig {
  const found = findConfig(request);
  if (found === null) {
    return {
      path: null,
      folder: dirname(resolve(request.cwd ?? process.cwd(), request.taskDir)),
      models: [],
      modelSelection: "round_robin",
      sandbox: "none",
      ...toPolicies({}),
      fleet: null,
      defaults: {},
    };
  }
  const yaml = readYaml(found);
  const checked = checkSchema(configSchema, yaml);
  if (checked.kind === "bad") throw new TaskPhaseError("config", checked.findings);
  const folder = dirname(found.path);
  const written = checked.value.models ?? [];
  const fleet = toFleetConfig(checked.value.fleet);
  const findings = [...judgeModels(written, yaml), ...judgeAccounts(fleet, written, yaml)];
  if (findings.length > 0) throw new TaskPhaseError("config", findings);
  return {
    path: found.path,
    folder,
    models: written.map((model) => toModelConfig(model, folder)),
    modelSelection: checked.value.model_selection ?? "round_robin",
    sandbox: checked.value.sandbox ?? "none",
    ...toPolicies(checked.value),
    fleet,
    defaults: checked.value.defaults ?? {},
  };
}

type Written = v.InferOutput<typeof configSchema>;

type Policies = Pick<
  LoadedConfig,
  "budget" | "checkpoint" | "commits" | "keep" | "sign" | "workspace" | "control" | "notify" | "evidence"
>;

function toPolicies(written: Written): Policies {
  return {
    budget: { run: toLimits(written.budget?.run), day: toLimits(written.budget?.day) },
    checkpoint: written.checkpoint ?? "patch",
    commits: written.commits ?? "pass",
    keep: written.keep ?? "all",
    sign: written.sign ?? "none",
    workspace: written.workspace ?? "here",
    control: { pollMs: written.control?.poll ?? 30_000 },
    notify: toNotifyConfig(written.notify),
    evidence: toEvidenceConfig(written.evidence),
  };
}

function readYaml(found: FoundConfig): StrictYaml {
  const file = found.path;
  requireOwner(file);
  // A person's own file may be a link, as with dotfiles; one beside tasks may not.
  const read = readRegularFile(found.by === "folder" ? file : realOr(file), 64 * 1024);
  if (read.kind !== "file")
    throw configError("TP_CONFIG_FILE", renderRead(read, found), {
      file,
      fix: read.kind === "too_big" ? "shorten it to at most 64 KiB" : fixFor(found),
    });
  const checked = checkText(read.bytes, file);
  if (checked.kind === "bad") throw new TaskPhaseError("config", checked.findings);
  const yaml = readStrictYaml({ text: checked.text, file, linesBefore: 0 });
  if (yaml.kind === "bad") throw new TaskPhaseError("config", yaml.findings);
  return yaml;
}

function renderRead(read: Exclude<ReadResult, { kind: "file" }>, found: FoundConfig): string {
  const named = {
    flag: "named by --config",
    environment: "named by TASK_PHASE_CONFIG",
    folder: "found above the task folder",
    user: "found in the user's config folder",
  };
  const what = {
    missing: "does not exist",
    link: "is a symbolic link, which is not followed",
    folder: "is a folder",
    special: "is a FIFO, socket or device",
    too_big: "is too large for a configuration",
    unreadable: "cannot be read",
  };
  const detail = read.kind === "unreadable" ? ` (${read.code})` : "";
  return `the configuration file, ${named[found.by]}, ${what[read.kind]}${detail}`;
}

function fixFor(found: FoundConfig): string {
  return found.by === "flag" || found.by === "environment"
    ? "correct the path"
    : "put a regular file there, or remove it";
}

/** Accounts must name models of this file, each once. */
function judgeAccounts(
  fleet: FleetConfig | null,
  models: readonly Pick<WrittenModel, "name">[],
  yaml: StrictYaml,
): Finding[] {
  const known = models.map(({ name }) => name);
  const owners = new Map<string, string>();
  return (fleet?.accounts ?? []).flatMap((account) =>
    account.models.flatMap((model, index) => {
      const problem = (message: string, fix: string) =>
        errorFinding("TP_CONFIG_VALUE", `the account ${shorten(account.name)} of \`fleet.accounts\` ${message}`, {
          ...yaml.locate(["fleet", "accounts", account.name, "models", index], "value"),
          fix,
        });
      const owner = owners.get(model);
      owners.set(model, account.name);
      if (owner !== undefined)
        return problem(
          `names ${shorten(model)}, which already belongs to ${shorten(owner)}`,
          "list each model under one account",
        );
      if (known.includes(model)) return [];
      const fix = renderKnownNames(model, known, "the models are") ?? "add the model to `models`";
      return problem(`names ${shorten(model)}, but \`models\` has no such model`, fix);
    }),
  );
}

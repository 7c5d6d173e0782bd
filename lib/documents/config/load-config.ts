import { dirname, resolve } from "node:path";
import type * as v from "valibot";
import { realOr } from "../../store/folder.ts";
import { type ReadResult, readRegularFile } from "../../store/read-file.ts";
import { configError, TaskPhaseError } from "../../text/errors.ts";
import { errorFinding, type Finding } from "../../text/finding.ts";
import { renderKnownNames } from "../../text/nearest.ts";
import { shorten } from "../../text/shorten.ts";
import { checkText } from "../check-text.ts";
import { checkSchema } from "../schema-findings.ts";
import { readStrictYaml, type StrictYaml } from "../strict-yaml.ts";
import { configSchema, toEvidenceConfig, toNotifyConfig } from "./config-schema.ts";
import { type ConfigRequest, type FoundConfig, findConfig } from "./find-config.ts";
import { toFleetConfig } from "./fleet-schema.ts";
import { judgeModels } from "./judge-models.ts";
import { toLimits } from "./limits-schema.ts";
import { toModelConfig, type WrittenModel } from "./model-schema.ts";
import { requireOwner } from "./require-owner.ts";

export type { ModelConfig } from "./model-schema.ts";

export type LoadedConfig = Readonly<ReturnType<typeof loadConfig>>;

/** Throws a config error with every problem found. */
export function loadConfig(request: ConfigRequest) {
  const found = findConfig(request);
  const folder = dirname(found?.path ?? resolve(request.cwd ?? process.cwd(), request.taskDir));
  const written = found === null ? {} : readConfig(found);
  return {
    path: found?.path ?? null,
    folder,
    models: (written.models ?? []).map((model) => toModelConfig(model, folder)),
    modelSelection: written.model_selection ?? "round_robin",
    sandbox: written.sandbox ?? "none",
    budget: { run: toLimits(written.budget?.run), day: toLimits(written.budget?.day) },
    /** How git keeps each pass's work, besides the journal. */
    checkpoint: written.checkpoint ?? "patch",
    /** With commit or push: a commit for each pass, or one at the task's end. */
    commits: written.commits ?? "pass",
    /** Pass folders of a finished task: all, or what its proof needs. */
    keep: written.keep ?? "all",
    /** With ssh the runner's key signs commits and the attestation of a finished task. */
    sign: written.sign ?? "none",
    /** Where a pass works: in the working tree, or in a clone of its own, on the branch of the task. */
    workspace: written.workspace ?? "here",
    control: { pollMs: written.control?.poll ?? 30_000 },
    notify: toNotifyConfig(written.notify),
    evidence: toEvidenceConfig(written.evidence),
    fleet: toFleetConfig(written.fleet),
    /** Contract keys for tasks that do not set them. */
    defaults: written.defaults ?? {},
  };
}

function readConfig(found: FoundConfig): v.InferOutput<typeof configSchema> {
  const yaml = readYaml(found);
  const checked = checkSchema(configSchema, yaml);
  if (checked.kind === "bad") throw new TaskPhaseError("config", checked.findings);
  const { models, fleet } = checked.value;
  const findings = [...judgeModels(models ?? [], yaml), ...judgeAccounts(fleet?.accounts ?? {}, models ?? [], yaml)];
  if (findings.length > 0) throw new TaskPhaseError("config", findings);
  return checked.value;
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
  accounts: Readonly<Record<string, { readonly models: readonly string[] }>>,
  models: readonly Pick<WrittenModel, "name">[],
  yaml: StrictYaml,
): Finding[] {
  const known = models.map(({ name }) => name);
  const owners = new Map<string, string>();
  return Object.entries(accounts).flatMap(([name, account]) =>
    account.models.flatMap((model, index) => {
      const problem = (message: string, fix: string) =>
        errorFinding("TP_CONFIG_VALUE", `the account ${shorten(name)} of \`fleet.accounts\` ${message}`, {
          ...yaml.locate(["fleet", "accounts", name, "models", index], "value"),
          fix,
        });
      const owner = owners.get(model);
      owners.set(model, name);
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

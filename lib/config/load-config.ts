import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding, type Finding, type FindingPlace } from "../report/finding.ts";
import { type ReadResult, readRegularFile } from "../store/read-file.ts";
import type { PartialContract } from "../task-folder/contract.ts";
import { checkText } from "../task-folder/guard.ts";
import { checkSchema } from "../task-folder/schema-findings.ts";
import { readStrictYaml, type StrictYaml } from "../task-folder/strict-yaml.ts";
import { shorten } from "../text/shorten.ts";
import { configSchema, type WrittenConfig, type WrittenModel } from "./config-schema.ts";
import { type ConfigRequest, type FoundConfig, findConfig } from "./find-config.ts";

export { applyDefaults } from "../task-folder/contract.ts";

/** One model of task-phase.yaml, every default filled in. */
export interface ModelConfig {
  readonly name: string;
  readonly adapter: "command" | "replay";
  /** Null for `replay`. */
  readonly command: readonly string[] | null;
  readonly prompt: "stdin" | "argument" | "file";
  /** Absolute; null for `command`. */
  readonly recordings: string | null;
  readonly timeoutMs: number;
  /** Names of environment variables that are passed on, beside the usual ones. */
  readonly env: readonly string[];
  readonly args: readonly string[];
  /** Of the file that names the model: what its relative paths are relative to. */
  readonly folder: string;
}

export interface LoadedConfig {
  /** Null where there is no task-phase.yaml. */
  readonly path: string | null;
  readonly folder: string;
  readonly models: readonly ModelConfig[];
  /** Keys of the contract for tasks that do not set them. */
  readonly defaults: PartialContract;
}

/** Finds and reads task-phase.yaml; throws a config error with every problem found. */
export function loadConfig(request: ConfigRequest): LoadedConfig {
  const found = findConfig(request);
  if (found === null) {
    return {
      path: null,
      folder: dirname(resolve(request.cwd ?? process.cwd(), request.taskDir)),
      models: [],
      defaults: {},
    };
  }
  const yaml = readYaml(found);
  const checked = checkSchema(configSchema, yaml);
  if (checked.kind === "bad") throw new TaskPhaseError("config", checked.findings);
  const folder = dirname(found.path);
  const written = checked.value.models ?? [];
  const findings = [...judgeModels(written, yaml), ...judgeSelection(checked.value, yaml)];
  if (findings.length > 0) throw new TaskPhaseError("config", findings);
  const models = written.map((model) => toModel(model, folder));
  return { path: found.path, folder, models, defaults: checked.value.defaults ?? {} };
}

function readYaml(found: FoundConfig): StrictYaml {
  const file = found.path;
  const read = readRegularFile(found.by === "folder" ? file : followLink(file), 64 * 1024);
  if (read.kind !== "file")
    throw configProblem(describeRead(read, found), {
      file,
      fix: read.kind === "too_big" ? "shorten it to at most 64 KiB" : fixFor(found),
    });
  const checked = checkText(read.bytes, file);
  if (checked.kind === "bad") throw new TaskPhaseError("config", checked.findings);
  const yaml = readStrictYaml({ text: checked.text, file, linesBefore: 0 });
  if (yaml.kind === "bad") throw new TaskPhaseError("config", yaml.findings);
  return yaml;
}

/** A person's own choice of a file may be a link, as with dotfiles; one found beside tasks may not. */
function followLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function describeRead(read: Exclude<ReadResult, { kind: "file" }>, found: FoundConfig): string {
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
    too_big: "is too big to be a configuration",
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

function configProblem(message: string, place: FindingPlace): TaskPhaseError {
  return new TaskPhaseError("config", [errorFinding("TP_CONFIG_FILE", message, place)]);
}

function judgeModels(models: readonly WrittenModel[], yaml: StrictYaml): Finding[] {
  return models.flatMap((model, index) => {
    const problem = (key: string, message: string, fix: string): Finding =>
      errorFinding("TP_CONFIG_VALUE", `\`models[${index + 1}]\` (${shorten(model.name)}) ${message}`, {
        ...yaml.locate(["models", index, key], "key"),
        fix,
      });
    const findings: Finding[] = [];
    if (models.findIndex((other) => other.name === model.name) < index) {
      findings.push(problem("name", "has the name of another model", "give each model a name of its own"));
    }
    const [needs, lacks] =
      model.adapter === "command" ? (["command", "recordings"] as const) : (["recordings", "command"] as const);
    if (model[needs] === undefined)
      findings.push(problem("adapter", `has the adapter ${model.adapter} and no \`${needs}\``, `add \`${needs}:\``));
    if (model[lacks] !== undefined)
      findings.push(
        problem(lacks, `has a \`${lacks}\`, which the adapter ${model.adapter} does not use`, "remove the key"),
      );
    return findings;
  });
}

function judgeSelection(config: WrittenConfig, yaml: StrictYaml): Finding[] {
  if (config.model_selection !== "round_robin" || (config.models ?? []).length < 2) return [];
  const message = "`model_selection: round_robin` over several models is not available in this version of task-phase";
  const place = yaml.locate(["model_selection"], "key");
  return [
    errorFinding("TP_NOT_AVAILABLE", message, {
      ...place,
      fix: "write model_selection: priority; the first model does the passes",
    }),
  ];
}

function toModel(model: WrittenModel, folder: string): ModelConfig {
  return {
    name: model.name,
    adapter: model.adapter,
    command: model.command ?? null,
    prompt: model.prompt,
    recordings: model.recordings === undefined ? null : resolve(folder, model.recordings),
    timeoutMs: model.timeout,
    env: model.env,
    args: model.args,
    folder,
  };
}

import * as v from "valibot";
import { type CliName, cliNames } from "../../config/adapter-names.ts";
import { type ModelConfig, toModelConfig } from "../../config/model-config.ts";
import { modelSchema } from "../../config/model-schema.ts";
import { findExecutable, findUnusable } from "../../process/find-executable.ts";
import { adapters } from "../adapters/adapters.ts";

/** An agent CLI that is there to be called. */
export interface InstalledCli {
  readonly name: CliName;
  /** Absolute. */
  readonly path: string;
  /** Names, never values: those of the variables it knows that are set now. */
  readonly env: readonly string[];
}

/**
 * The agent CLIs that PATH leads to, in the adapters' own order: doctor, probe, the README and a new task-phase.yaml
 * all show them in the same one. Nothing is started to find out.
 */
export function findInstalled(env: Readonly<NodeJS.ProcessEnv>): InstalledCli[] {
  return cliNames.flatMap((name) => {
    const path = findProgram(adapters[name].program, env.PATH ?? "");
    return path === null ? [] : [{ name, path, env: setVariables(name, env) }];
  });
}

/** Names of the variables that this CLI knows and that are set. An empty one is as good as none. */
export function setVariables(name: CliName, env: Readonly<NodeJS.ProcessEnv>): string[] {
  return adapters[name].knownEnv.filter((variable) => (env[variable] ?? "") !== "");
}

/** What PATH leads to from every folder: a relative entry, such as an empty one, would lead elsewhere from the repo. */
export function findProgram(program: string, pathVariable: string): string | null {
  const folders = absoluteFolders(pathVariable);
  return folders.length === 0 ? null : findExecutable(program, "/", folders.join(":"));
}

/** Why PATH does not lead to it although something of its name is there; null if nothing does. */
export function explainUnusable(program: string, pathVariable: string): string | null {
  const folders = absoluteFolders(pathVariable);
  const found = folders.length === 0 ? null : findUnusable(program, "/", folders.join(":"));
  return found === null ? null : `${found} exists but is not executable`;
}

function absoluteFolders(pathVariable: string): string[] {
  return pathVariable.split(":").filter((folder) => folder.startsWith("/"));
}

/**
 * The model that `{ name: claude, adapter: claude }` in task-phase.yaml stands for, with the variables that are set.
 */
export function defaultModel({ name, env }: Pick<InstalledCli, "name" | "env">, folder: string): ModelConfig {
  return toModelConfig(v.parse(modelSchema, { name, adapter: name, env }), folder);
}

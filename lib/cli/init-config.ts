import path from "node:path";
import { findConfig } from "../config/find-config.ts";
import { look } from "../init/look.ts";
import { adapters } from "../models/adapters/adapters.ts";
import { findInstalled, type InstalledCli } from "../models/inspect/discover.ts";
import { configError } from "../report/errors.ts";
import { createFile } from "../store/put-file.ts";
import { type ModelData, renderConfigFile } from "../templates/task-files.ts";
import type { CommandContext } from "./command.ts";

/** The task-phase.yaml that holds for a task. */
export interface TaskConfig {
  readonly path: string;
  readonly made: boolean;
  /** The names of the models of a new one. */
  readonly models: readonly string[];
}

/** The task-phase.yaml that holds for this folder; null if one is to be made. One that was named must be there. */
export function findExistingConfig({ cwd, env, home, flags }: CommandContext, taskDir: string): string | null {
  const found = findConfig({ configFlag: flags.text("config"), env, home, taskDir, cwd });
  if (found === null) return null;
  if (look(found.path) !== "missing") return found.path;
  const by = found.by === "flag" ? "--config" : "TASK_PHASE_CONFIG";
  throw configError("TP_CONFIG_FILE", `${by} names a file that does not exist`, {
    file: found.path,
    fix: `create the file, or omit ${by}`,
  });
}

/** Makes task-phase.yaml with the agent CLIs on PATH, unless another file holds already. */
export function makeConfig(context: CommandContext, existing: string | null, tasksRoot: string): TaskConfig {
  if (existing !== null) return { path: existing, made: false, models: [] };
  const file = path.join(tasksRoot, "task-phase.yaml");
  const models = findInstalled(context.env);
  const made = createFile(file, renderConfigFile(models.map(toModelData)));
  return { path: file, made, models: made ? models.map(({ name }) => name) : [] };
}

export function toModelData({ name, env }: InstalledCli): ModelData {
  return { name, env, example: adapters[name].knownEnv[0] ?? "MY_API_KEY" };
}

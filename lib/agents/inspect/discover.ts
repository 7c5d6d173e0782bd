import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";
import { type CliName, cliNames } from "../../documents/config/adapter-names.ts";
import { type ModelConfig, modelSchema, toModelConfig } from "../../documents/config/model-schema.ts";
import { findExecutable, findUnusable } from "../../process/find-executable.ts";
import { orElse } from "../../text/attempt.ts";
import { adapters } from "../adapters/adapters.ts";

export type InstalledCli = Readonly<ReturnType<typeof findInstalled>[number]>;

/** Agent CLIs on PATH, in the adapters' order, as doctor, probe and a new task-phase.yaml show them. Starts nothing. */
export function findInstalled(env: Readonly<NodeJS.ProcessEnv>) {
  return cliNames.flatMap((name) => {
    const path = findProgram(adapters[name].program, env.PATH ?? "");
    return path === null ? [] : [{ name, path, env: setVariables(name, env) }];
  });
}

export function setVariables(name: CliName, env: Readonly<NodeJS.ProcessEnv>): string[] {
  return adapters[name].knownEnv.filter((variable) => (env[variable] ?? "") !== "");
}

/** Only absolute entries of PATH: a relative one would lead elsewhere from the repo. */
export function findProgram(program: string, pathVariable: string): string | null {
  const folders = absoluteFolders(pathVariable);
  return folders.length === 0 ? null : findExecutable(program, "/", folders.join(":"));
}

/** Why something of its name on PATH does not count; null if there is nothing. */
export function explainUnusable(program: string, pathVariable: string): string | null {
  const folders = absoluteFolders(pathVariable);
  const found = folders.length === 0 ? null : findUnusable(program, "/", folders.join(":"));
  return found === null ? null : `${found} exists but is not executable`;
}

function absoluteFolders(pathVariable: string): string[] {
  return pathVariable.split(":").filter((folder) => folder.startsWith("/"));
}

/** The model of `{ name: claude, adapter: claude }` in task-phase.yaml, with the variables that are set. */
export function defaultModel({ name, env }: Pick<InstalledCli, "name" | "env">, folder: string): ModelConfig {
  return toModelConfig(v.parse(modelSchema, { name, adapter: name, env }), folder);
}

/** cron's PATH, unless the crontab sets one: crontab(5). */
export const cronPath = "/usr/bin:/bin";

export interface CalledProgram {
  readonly program: string;
  readonly path: string;
}

/** Whether cron's PATH leads to the same program: another one may have another version. */
export function isOnCronPath({ program, path }: CalledProgram, cron: string = cronPath): boolean {
  return orElse(() => {
    const found = findProgram(program, cron);
    return found !== null && realpathSync(found) === realpathSync(path);
  }, false);
}

export function crontabLine(programs: readonly CalledProgram[], cron: string = cronPath): string {
  const folders = programs.map(({ path }) => dirname(path));
  return `PATH=${[...new Set([...folders, ...cron.split(":")])].join(":")}`;
}

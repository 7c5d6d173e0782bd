import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const configName = "task-phase.yaml";

export interface ConfigRequest {
  /** The value of --config; null if it is not given. */
  readonly configFlag: string | null;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
  readonly taskDir: string;
  /** The base of relative paths; default: the working directory of the process. */
  readonly cwd?: string;
}

export interface FoundConfig {
  readonly path: string;
  readonly by: "flag" | "environment" | "folder" | "user";
}

/**
 * Where task-phase.yaml is: --config, then TASK_PHASE_CONFIG, then the nearest folder above the task folder that holds
 * one, then the user's config folder. Null: none of these. A path that was named need not exist. The task folder
 * itself is not looked in: what a pass puts there must not choose the models of the next one.
 */
export function findConfig(request: ConfigRequest): FoundConfig | null {
  const cwd = request.cwd ?? process.cwd();
  if (request.configFlag !== null) return { path: resolve(cwd, request.configFlag), by: "flag" };
  const named = request.env.TASK_PHASE_CONFIG;
  if (named !== undefined && named !== "") return { path: resolve(cwd, named), by: "environment" };
  for (let folder = dirname(resolve(cwd, request.taskDir)); ; folder = dirname(folder)) {
    const path = join(folder, configName);
    if (stands(path)) return { path, by: "folder" };
    if (folder === dirname(folder)) break;
  }
  const own = join(userConfigFolder(request), configName);
  return stands(own) ? { path: own, by: "user" } : null;
}

/**
 * Every place where a file would be found before the one that was, that one included, or all of them if there is
 * none: what must not appear or change while a pass runs.
 */
export function configCandidates(request: ConfigRequest): string[] {
  const found = findConfig(request);
  const candidates: string[] = [];
  for (let folder = dirname(resolve(request.cwd ?? process.cwd(), request.taskDir)); ; folder = dirname(folder)) {
    candidates.push(join(folder, configName));
    if (folder === dirname(folder)) break;
  }
  candidates.push(join(userConfigFolder(request), configName));
  const at = found === null ? -1 : candidates.indexOf(found.path);
  const before = at < 0 ? candidates : candidates.slice(0, at + 1);
  return found === null || at >= 0 ? before : [...before, found.path];
}

/** The folder of the person's own configuration, whether or not it is there. */
export function userConfigFolder({ env, home }: Pick<ConfigRequest, "env" | "home">): string {
  const base = env.XDG_CONFIG_HOME;
  // A relative path there is to be ignored, says the XDG base directory specification.
  return join(base?.startsWith("/") === true ? base : join(home, ".config"), "task-phase");
}

/** Links count, even broken ones: a file that is meant must not be passed over silently. */
function stands(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

import { dirname, join, resolve } from "node:path";
import { realOrNull, statEntry } from "../../store/folder.ts";

export const configName = "task-phase.yaml";

export interface ConfigRequest {
  readonly configFlag: string | null;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
  readonly taskDir: string;
  /** Base of relative paths; default: the working directory. */
  readonly cwd?: string;
}

export interface FoundConfig {
  readonly path: string;
  readonly by: "flag" | "environment" | "folder" | "user";
}

/**
 * task-phase.yaml: --config, then TASK_PHASE_CONFIG, then the nearest folder above the task folder, then the user's
 * config folder. A named path need not exist. Not the task folder itself: a pass must not choose the models of the next
 * one.
 */
export function findConfig(request: ConfigRequest): FoundConfig | null {
  const cwd = request.cwd ?? process.cwd();
  if (request.configFlag !== null) return { path: resolve(cwd, request.configFlag), by: "flag" };
  const named = request.env.TASK_PHASE_CONFIG;
  if (named !== undefined && named !== "") return { path: resolve(cwd, named), by: "environment" };
  for (let folder = dirname(resolve(cwd, request.taskDir)); ; folder = dirname(folder)) {
    const path = join(folder, configName);
    // A broken link counts: an intended file must not be skipped silently.
    if (statEntry(path) !== null) return { path, by: "folder" };
    if (folder === dirname(folder)) break;
  }
  const own = join(userConfigFolder(request), configName);
  return statEntry(own) !== null ? { path: own, by: "user" } : null;
}

/** Every place up to the file found, or all: what must not appear or change during a pass. */
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

export function userConfigFolder({ env, home }: Pick<ConfigRequest, "env" | "home">): string {
  const base = env.XDG_CONFIG_HOME;
  // The XDG base directory specification ignores relative paths.
  return join(base?.startsWith("/") === true ? base : join(home, ".config"), "task-phase");
}

type KeyPorts = Pick<ConfigRequest, "env" | "home">;

/** Where to look for the runner's signing key, in order. No repository matters. */
export function keyPlaces({ env, home }: KeyPorts): string[] {
  const named = env.TASK_PHASE_SIGNING_KEY ?? "";
  const folder = userConfigFolder({ env, home });
  return named === "" ? ["signing_key", "signing_key.pub"].map((name) => join(folder, name)) : [named];
}

/** Existing ones, with the private key beside a public one: real paths to hide in a sandbox. */
export function listKeyFiles(ports: KeyPorts): string[] {
  const found = keyPlaces(ports).flatMap((path) => [path, path.replace(/\.pub$/, "")]);
  return [...new Set(found.map(realOrNull))].filter((path) => path !== null);
}

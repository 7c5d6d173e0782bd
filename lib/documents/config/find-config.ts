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
  const places = listPlaces(request);
  // A broken link counts: an intended file must not be skipped silently.
  const at = places.findIndex((path) => statEntry(path) !== null);
  const path = places[at];
  return path === undefined ? null : { path, by: at === places.length - 1 ? "user" : "folder" };
}

/** Every place up to the file found, or all: what must not appear or change during a pass. */
export function configCandidates(request: ConfigRequest): string[] {
  const found = findConfig(request);
  const places = listPlaces(request);
  if (found === null) return places;
  const at = places.indexOf(found.path);
  return at < 0 ? [...places, found.path] : places.slice(0, at + 1);
}

/** In every folder above the task folder, the nearest first, then in the user's. */
function listPlaces(request: ConfigRequest): string[] {
  const places: string[] = [];
  for (let folder = dirname(resolve(request.cwd ?? process.cwd(), request.taskDir)); ; folder = dirname(folder)) {
    places.push(join(folder, configName));
    if (folder === dirname(folder)) return [...places, join(userConfigFolder(request), configName)];
  }
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

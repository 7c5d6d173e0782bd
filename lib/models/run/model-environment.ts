import type { ModelRun } from "./model-run.ts";

/** Always passed on. Anything else, above all keys of other services, only by name. */
const alwaysPassed = [
  "PATH",
  "HOME",
  "USER",
  "LANG",
  "TERM",
  "TMPDIR",
  // What a CLI prints as the time of a day is read as the runner's own.
  "TZ",
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [name, name.toUpperCase()]),
];

/** The part of the runner's environment that a model's process gets: the usual variables and those of these names. */
export function passedOn(env: Readonly<NodeJS.ProcessEnv>, names: readonly string[]): Record<string, string> {
  const passed = [...alwaysPassed, ...names].flatMap((name): [string, string][] => {
    const value = env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(passed);
}

/** The environment of a model's process; the mark is added where it is started. */
export function modelEnvironment(run: ModelRun, usageFile: string): Record<string, string> {
  return {
    ...passedOn(run.env, run.model.env),
    TASK_PHASE_TASK_DIR: run.taskDir,
    TASK_PHASE_REPO: run.repo,
    TASK_PHASE_PHASE: run.phase,
    TASK_PHASE_PASS: String(run.pass),
    ...(run.role === undefined ? {} : { TASK_PHASE_ROLE: run.role }),
    TASK_PHASE_PROMPT_FILE: run.promptFile,
    TASK_PHASE_USAGE_FILE: usageFile,
  };
}

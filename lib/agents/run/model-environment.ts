import { rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { reflogAction } from "../../rules/words.ts";
import { makeFolder } from "../../store/folder.ts";
import { orElse } from "../../text/attempt.ts";
import type { CliAdapter } from "../adapters/adapter.ts";
import type { ModelRun } from "./model-run.ts";

/** All others, above all keys of other services, only by name. */
const alwaysPassed = [
  "PATH",
  "HOME",
  "USER",
  "LANG",
  "TERM",
  "TMPDIR",
  // Makes a CLI print times of day in the runner's zone.
  "TZ",
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [name, name.toUpperCase()]),
];

/** The usual variables and those of these names. */
export function passedOn(env: Readonly<NodeJS.ProcessEnv>, names: readonly string[]): Record<string, string> {
  const passed = [...alwaysPassed, ...names].flatMap((name): [string, string][] => {
    const value = env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(passed);
}

/** Without the mark, which is added at the start. */
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
    // Git writes it before each of its commits into the reflog, where a person's have another word.
    GIT_REFLOG_ACTION: reflogAction,
  };
}

/** Removes what a session left where no flag prevents it, as far as possible. */
export function removeSession(adapter: CliAdapter, sessionId: string, env: Readonly<Record<string, string>>): void {
  for (const path of adapter.sessionPaths?.(sessionId, env, env.HOME ?? homedir()) ?? []) {
    orElse(() => rmSync(path, { recursive: true, force: true }), undefined);
  }
}

/** A temporary folder that is removed with the work folder. Throws errors of the disk. */
export function temporaryFolderEnv(adapter: CliAdapter, workFolder: string): Readonly<Record<string, string>> {
  if (adapter.leavesTemporary !== true) return {};
  // In a sandbox it is /tmp too.
  const folder = join(workFolder, "tmp");
  makeFolder(folder, 0o700);
  return { TMPDIR: folder };
}

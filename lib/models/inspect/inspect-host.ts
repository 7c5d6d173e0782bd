import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { trialArgv } from "../../process/bwrap.ts";
import { passedOn } from "../run/model-environment.ts";
import { type Asking, askProgram } from "./ask-program.ts";
import { findProgram } from "./discover.ts";
import { describeFailure, readVersionAnswer } from "./inspect-cli.ts";

/** A tool that the runner itself calls. */
export interface ToolFacts {
  /** Absolute; null if PATH does not lead to it. */
  readonly path: string | null;
  readonly version: string | null;
  /** Whether it did what it is needed for; null if it is not there or was not asked to the end. */
  readonly usable: boolean | null;
  /** Why it is not usable; null if it is. */
  readonly problem: string | null;
}

const versionTimeoutMs = 15_000;
/** A namespace is made at once or not at all. */
const sandboxTimeoutMs = 5_000;

export async function inspectGit(asking: Asking, env: Readonly<NodeJS.ProcessEnv>): Promise<ToolFacts> {
  return askVersion(asking, env, "git");
}

/**
 * bwrap, really started the way a pass does it: if the system lets no user make namespaces, it is there, tells its
 * version, and cannot do anything.
 */
export async function inspectBwrap(
  asking: Asking,
  env: Readonly<NodeJS.ProcessEnv>,
  timeoutMs: number = sandboxTimeoutMs,
): Promise<ToolFacts> {
  const found = await askVersion(asking, env, "bwrap");
  if (found.path === null || found.usable !== true) return found;
  const answer = await askProgram(asking, {
    argv: trialArgv(found.path),
    env: passedOn(env, []),
    timeoutMs,
  });
  switch (answer.kind) {
    case "aborted":
      return { ...found, usable: null };
    case "timed_out":
      return { ...found, usable: false, problem: `it did not end within ${timeoutMs / 1_000} s` };
    case "not_started":
      return { ...found, usable: false, problem: answer.problem };
    case "exited":
      return answer.exitCode === 0 ? found : { ...found, usable: false, problem: describeFailure(answer) };
  }
}

async function askVersion(asking: Asking, env: Readonly<NodeJS.ProcessEnv>, program: string): Promise<ToolFacts> {
  const path = findProgram(program, env.PATH ?? "");
  if (path === null) return { path, version: null, usable: null, problem: null };
  const answer = await askProgram(asking, {
    argv: [path, "--version"],
    env: passedOn(env, []),
    timeoutMs: versionTimeoutMs,
  });
  const { version, callable, problem } = readVersionAnswer(answer, versionTimeoutMs);
  return { path, version, usable: callable, problem };
}

/** Whether a folder that may not be there yet could be made and written to. Nothing is made to find out. */
export function isWritable(folder: string): boolean {
  try {
    for (let at = folder; ; at = dirname(at)) {
      const stats = statSync(at, { throwIfNoEntry: false });
      if (stats === undefined && at !== dirname(at)) continue;
      accessSync(at, constants.W_OK | constants.X_OK);
      return stats?.isDirectory() === true;
    }
  } catch {
    return false;
  }
}

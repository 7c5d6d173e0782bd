import { unnamedWorker } from "../machine/claim.ts";
import type { PassRunner } from "../machine/events.ts";
import { packageVersion } from "../templates/package-files.ts";
import { shorten } from "../text/shorten.ts";

/** The names that others read in the journal come from a person or not at all: that of the machine is nobody's business. */
export function describeRunner(env: NodeJS.ProcessEnv, attempt: string): PassRunner {
  return {
    worker: workerName(env),
    host: named(env.TASK_PHASE_HOST),
    attempt,
    task_phase: packageVersion(),
    node: process.version,
  };
}

/** The name of the host stands for one that is missing. */
export function workerName(env: NodeJS.ProcessEnv): string {
  return named(env.TASK_PHASE_WORKER) ?? named(env.TASK_PHASE_HOST) ?? unnamedWorker;
}

function named(value: string | undefined): string | null {
  const text = (value ?? "").trim();
  return text === "" ? null : shorten(text, 100);
}

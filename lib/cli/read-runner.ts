import { unnamedWorker } from "../machine/claim.ts";
import type { PassRunner } from "../machine/events.ts";
import { packageVersion } from "../templates/package-files.ts";
import { shorten } from "../text/shorten.ts";

/** A person chooses the names that others read in the journal; the machine's own name is private. */
export function describeRunner(env: NodeJS.ProcessEnv, attempt: string): PassRunner {
  return {
    worker: workerName(env),
    host: named(env.TASK_PHASE_HOST),
    attempt,
    task_phase: packageVersion(),
    node: process.version,
  };
}

/** Falls back to the name of the host. */
export function workerName(env: NodeJS.ProcessEnv): string {
  return named(env.TASK_PHASE_WORKER) ?? named(env.TASK_PHASE_HOST) ?? unnamedWorker;
}

function named(value: string | undefined): string | null {
  const text = (value ?? "").trim();
  return text === "" ? null : shorten(text, 100);
}

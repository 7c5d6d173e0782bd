import { stands } from "../anchor/task-place.ts";
import type { Finding } from "../report/finding.ts";
import { openTask } from "../task/open-task.ts";
import type { HeldTask } from "../task/session.ts";
import { attestLeft } from "../upkeep/attest-left.ts";
import { trimToProof, writePages } from "../verdict/trim-to-proof.ts";

/**
 * Does what a run that was killed did not get to once its task was done, before that verdict is pushed: the signed
 * statement, the pages that link it, and what `keep: proof` takes away. Whatever keeps it from being signed is a warning.
 */
export async function finishDone(session: HeldTask, configFlag: string | null, repo: string): Promise<Finding[]> {
  const { place, ports } = session;
  const task = openTask(place, configFlag, ports);
  const findings = await attestLeft(session, task, repo);
  if (stands(place.attestation)) writePages(session, task.contract);
  if (task.config.keep === "proof") trimToProof(session, task.contract);
  return findings;
}

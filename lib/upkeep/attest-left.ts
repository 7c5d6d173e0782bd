import { readHead } from "../anchor/records.ts";
import { stands } from "../anchor/task-place.ts";
import { attestTask } from "../attest/attest-task.ts";
import { signerOf } from "../keep/signing-key.ts";
import { resumeCommand } from "../people/resume-command.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { HeldTask } from "../task/session.ts";

/**
 * Writes the statement of a task that is done and has none, as a run leaves it that was killed before it could sign. Only
 * if the newest event of the journal is that verdict, and this machine recorded it: what another one says of a task, or a
 * folder that was copied here, is not for this key to sign.
 * `repo` may hold no key; null: it is not known. Whatever keeps it from being signed is a warning. Throws TP_DISK.
 */
export async function attestLeft(
  session: HeldTask,
  { config, contract }: TaskContract,
  repo: string | null,
): Promise<Finding[]> {
  const { place, anchor, journal, history } = session;
  const findSigner = signerOf({ sign: config.sign, repo: repo ?? place.tasksRoot, place }, session.ports);
  if (findSigner === null || history.phase !== "done" || stands(place.attestation)) return [];
  const isOurs = journal.events.at(-1)?.type === "verdict" && readHead(anchor.folder) === journal.head;
  if (isOurs) return await attestTask(session, contract.id, findSigner);
  const message = "the task is done and has no attestation, and its verdict is not what this machine recorded last";
  const again = `${resumeCommand(place, "intake", session.ports.fence?.checkout ?? null)}, then a run`;
  const fix = `run task-phase evidence where the task got done, or let it get done again: ${again}`;
  return [warningFinding("TP_SIGN", message, { file: place.attestation, fix })];
}

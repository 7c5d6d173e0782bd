import { somePaths } from "../git/choose-paths.ts";
import { describeUnproven } from "../git/commit.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import { accept } from "../task/session.ts";
import { shorten } from "../text/shorten.ts";
import { attestTask } from "./attest/attest-task.ts";
import { gitCheckpoint } from "./keep/git-checkpoint.ts";
import { signerOf } from "./keep/signing-key.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { trimToProof, writePages } from "./verdict/write-evidence.ts";

type Kept = Awaited<ReturnType<typeof gitCheckpoint>>;

const mostPaths = 50;

/**
 * Records that git does not hold what `done` was said of, so that the headline of every report says so, and commits
 * that. `request` is that of the commit which does not hold it.
 */
export async function tellUndelivered(
  { session, contract }: Pick<PreparedPass, "session" | "contract">,
  request: Parameters<typeof gitCheckpoint>[0] & { readonly event: VerdictEvent },
  unproven: NonNullable<Kept["unproven"]>,
): Promise<void> {
  const { ports } = session;
  const { pass } = request.event;
  const { commit, paths } = unproven;
  const why = `${describeUnproven(commit, "proven")}: ${somePaths(paths)}`;
  const at = ports.now().toISOString();
  accept(session, {
    event: { type: "undelivered", at, pass, commit, paths: paths.slice(0, mostPaths), why: ports.redactor.redact(why) },
    state: null,
  });
  const findSigner = signerOf(request, ports);
  if (findSigner !== null) session.findings.push(...(await attestTask(session, contract.contract.id, findSigner)));
  if (contract.config.keep === "proof") trimToProof(session, contract.contract);
  writePages(session, contract.contract);
  const subject = `task-phase: ${shorten(contract.contract.id, 60)} done, but git does not hold it (pass ${pass})`;
  const event = { ...request.event, verdict: "stopped" } as const;
  const mode = "commit";
  const kept = await gitCheckpoint({ ...request, mode, subject, event, changedPaths: [], checked: null }, ports);
  session.findings.push(...kept.findings);
}

import { join } from "node:path";
import { clearCurrent, recordCheckpoint } from "../anchor/records.ts";
import { dropSpool, keepSpool } from "../anchor/spool.ts";
import { passFolder, passName } from "../anchor/task-place.ts";
import { compareAndRestore, type Guard } from "../guard/guard.ts";
import { putBackState } from "../guard/state-file.ts";
import type { Tamper } from "../machine/facts.ts";
import { type ChecksOutcome, runContractChecks } from "../square/contract-checks.ts";
import { calibrateInCopy } from "../square/judge-in-copies.ts";
import { gatherSyncs } from "../store/folder.ts";
import type { TaskContract } from "../task/load-contract.ts";
import { accept, type TaskSession } from "../task/session.ts";
import type { Plan } from "./prepared-pass.ts";

export interface BaselineRequest {
  readonly session: TaskSession;
  readonly guard: Guard;
  readonly contract: TaskContract;
  readonly repo: string;
  readonly pass: number;
}

/** It runs once, before the first implement pass, if there is anything to run. */
export function isBaselineDue({ history }: TaskSession, { contract, document }: Plan): boolean {
  const { validators, scenarios } = contract.contract;
  return document.view.phase === "implement" && history.baseline === null && validators.length + scenarios.length > 0;
}

/** How long it may take, in milliseconds: every check here, and once more in a clean copy. */
export function longestBaselineMs({ contract }: Plan): number {
  const { validators, scenarios } = contract.contract;
  return 2 * [...validators, ...scenarios].reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
}

/**
 * Runs the checks once on the untouched repo, and notes what passed. What they changed that they must not is restored.
 */
export async function runBaseline(
  request: BaselineRequest,
): Promise<{ kind: "done"; tampering: readonly Tamper[] } | { kind: "aborted" }> {
  const { session, guard, repo, pass } = request;
  const { place, ports } = session;
  const outcome = await runContractChecks({
    contract: request.contract.contract,
    repo,
    place,
    logFolder: join(guard.anchor.spool, "baseline"),
    logRelative: join("artifacts", "passes", passName(pass), "baseline"),
    baseline: null,
    mark: guard.current.mark,
    ports,
  });
  const calibrated = outcome.kind === "aborted" ? null : await calibrateOn(request, outcome);
  const tampering = compareAndRestore(guard, "baseline").tampering;
  putBackState(guard, session);
  if (outcome.kind === "aborted" || calibrated === null) {
    clearCurrent(guard.anchor);
    return { kind: "aborted" };
  }
  recordCheckpoint(guard.anchor, guard.current);
  const syncs = gatherSyncs();
  keepSpool(guard.anchor, passFolder(place, pass), ports.redactor, syncs);
  syncs.sync();
  dropSpool(guard.anchor);
  accept(session, {
    event: {
      type: "baseline",
      at: ports.now().toISOString(),
      fingerprint: outcome.run.fingerprint_after,
      results: outcome.run.results,
      calibration: calibrated.calibration,
      calibration_results: calibrated.results,
    },
    state: null,
    endsPass: true,
  });
  return { kind: "done", tampering };
}

function calibrateOn(request: BaselineRequest, { after, run }: Extract<ChecksOutcome, { kind: "ran" }>) {
  const { session, guard, contract, repo, pass } = request;
  const { anchor, current } = guard;
  const logRelative = join("artifacts", "passes", passName(pass));
  return calibrateInCopy({ session, anchor, current, contract, repo, fingerprint: after, logRelative }, run.results);
}

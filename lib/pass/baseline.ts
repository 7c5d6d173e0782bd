import { join } from "node:path";
import type { Tamper } from "../machine/facts.ts";
import type { Contract } from "../task-folder/contract.ts";
import { clearCurrent, noteCheckpoint } from "./anchor.ts";
import { runContractChecks } from "./contract-checks.ts";
import { compareAndRestore, type Guard } from "./guard.ts";
import { accept, type TaskSession } from "./session.ts";
import { moveSpool } from "./spool.ts";
import { passFolder, passName } from "./task-place.ts";

export interface BaselineRequest {
  readonly session: TaskSession;
  readonly guard: Guard;
  readonly contract: Contract;
  readonly repo: string;
  readonly pass: number;
}

/** Runs the checks once on the untouched repo, and notes what passed. What they changed that they must not is put back. */
export async function runBaseline(
  request: BaselineRequest,
): Promise<{ kind: "done"; tampering: readonly Tamper[] } | { kind: "aborted" }> {
  const { session, guard, repo, pass } = request;
  const { place, ports } = session;
  const outcome = await runContractChecks({
    contract: request.contract,
    repo,
    place,
    logFolder: join(guard.anchor.spool, "baseline"),
    logRelative: join("artifacts", "passes", passName(pass), "baseline"),
    baseline: null,
    mark: guard.current.mark,
    ports,
  });
  const tampering = compareAndRestore(guard, "baseline").tampering;
  if (outcome.kind === "aborted") {
    clearCurrent(guard.anchor);
    return { kind: "aborted" };
  }
  noteCheckpoint(guard.anchor, guard.current);
  moveSpool(guard.anchor, passFolder(place, pass), ports.redactor);
  accept(session, {
    event: {
      type: "baseline",
      at: ports.now().toISOString(),
      fingerprint: outcome.run.fingerprint_after,
      results: outcome.run.results,
    },
    state: null,
    endsPass: true,
  });
  return { kind: "done", tampering };
}

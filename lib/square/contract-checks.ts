import { join } from "node:path";
import type { PassPorts } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import { diffFingerprints, type Fingerprint } from "../git/fingerprint-entries.ts";
import type { CheckResult, CheckRun, CheckStatus } from "../machine/check-run.ts";
import type { ProcessMark } from "../process/mark.ts";
import { makeFolder, neverSynced } from "../store/folder.ts";
import { fingerprintExcludes } from "../task/fingerprint-excludes.ts";
import type { Contract } from "../task-folder/contract.ts";
import { sha256 } from "../text/sha256.ts";
import { checkEnvironment } from "../validators/environment.ts";
import { runChecks } from "../validators/run-checks.ts";
import { readCode } from "./read-code.ts";

export interface ChecksRequest {
  readonly contract: Contract;
  readonly repo: string;
  readonly place: TaskPlace;
  /** Where the logs go, and how they are named in results: relative to the task folder. */
  readonly logFolder: string;
  readonly logRelative: string;
  readonly before: ReadonlyMap<string, CheckStatus> | null;
  readonly mark: ProcessMark;
  readonly ports: PassPorts;
}

export type ChecksOutcome =
  | { readonly kind: "ran"; readonly run: CheckRun; readonly after: Fingerprint }
  | { readonly kind: "aborted" };

/**
 * Runs the whole set on a repo that stays unchanged: if the fingerprint moved under it, once more; where it moved
 * again, the run says which paths. A set in which a required check failed is not run again: a second attempt could
 * only hide that.
 */
export async function runContractChecks(request: ChecksRequest, start?: Fingerprint): Promise<ChecksOutcome> {
  let before = start ?? (await takeFingerprint(request.repo, fingerprintExcludes(request.place, request.repo)));
  for (let attempt = 1; ; attempt += 1) {
    const results = await runSet(request, attempt);
    if (results === null) return { kind: "aborted" };
    const { fingerprint: after, problem } = await readCode(request.repo, request.place, "validators");
    const still = problem === null && after.hash === before.hash;
    const failedFirst = attempt === 1 && !still && problem === null && results.some(failed);
    if (still || failedFirst || attempt === 2 || problem !== null) {
      const moved =
        problem !== null ? [problem.path] : still ? [] : diffFingerprints(before, after).map((change) => change.path);
      return {
        kind: "ran",
        after,
        run: {
          fingerprint_before: before.hash,
          fingerprint_after: after.hash,
          attempts: attempt,
          moved,
          ...(failedFirst ? { failed_first: true } : {}),
          results,
          contract: digestContract(request.contract),
        },
      };
    }
    before = after;
  }
}

/** Equal as long as the same is asked of the checks, whether the brief or task-phase.yaml says so. */
export function digestContract(contract: Contract): string {
  return sha256(JSON.stringify(contract));
}

function failed(result: CheckResult): boolean {
  return result.required && result.status !== "pass";
}

async function runSet(request: ChecksRequest, attempt: number): Promise<CheckResult[] | null> {
  const { live } = request.ports;
  const folder = attempt === 1 ? "validators" : `validators-${attempt}`;
  makeFolder(join(request.logFolder, folder), 0o777, neverSynced);
  const set = await runChecks({
    validators: request.contract.validators,
    scenarios: request.contract.scenarios,
    repo: request.repo,
    env: checkEnvironment(request.ports.env),
    logFolder: join(request.logFolder, folder),
    logRelative: join(request.logRelative, folder),
    redactor: request.ports.redactor,
    mark: request.mark,
    abort: request.ports.signal,
    before: request.before,
    ...(live === undefined ? {} : { running: live.running }),
  });
  return set.aborted ? null : set.results;
}

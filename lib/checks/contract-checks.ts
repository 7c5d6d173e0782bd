import { join } from "node:path";
import type { Contract } from "../documents/contract.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import { diffFingerprints, type Fingerprint } from "../git/fingerprint-entries.ts";
import type { ProcessMark } from "../process/mark.ts";
import { type CheckResult, type CheckRun, isSameCheck } from "../rules/check-run.ts";
import type { TaskHistory } from "../rules/history.ts";
import { renderBeside, withPassed } from "../rules/steadiness.ts";
import { makeFolder, neverSynced } from "../store/folder.ts";
import { fingerprintExcludes, tasksInRepo } from "../task/fingerprint-excludes.ts";
import type { PassPorts } from "../task/records/ports.ts";
import type { TaskPlace } from "../task/records/task-place.ts";
import { type Finding, infoFinding } from "../text/finding.ts";
import { sha256 } from "../text/sha256.ts";
import { readCode } from "./read-code.ts";
import { aboutGit } from "./runs/asks-git.ts";
import { checkEnvironment } from "./runs/environment.ts";
import { aboutTasksAlone } from "./runs/find-trouble.ts";
import { runChecks } from "./runs/run-checks.ts";

export interface ChecksRequest {
  readonly contract: Contract;
  readonly repo: string;
  readonly place: TaskPlace;
  /** Where the logs go, and how they are named in results: relative to the task folder. */
  readonly logFolder: string;
  /** Relative to the task folder: where the logs of a pass are. */
  readonly logRelative: string;
  /** What is known of the checks: from before the work, and from this code. */
  readonly history: TaskHistory;
  readonly pass: number;
  /** True before the work: what fails alone then is not run again, since nothing rests on it. */
  readonly isBaseline?: true;
  readonly mark: ProcessMark;
  readonly ports: PassPorts;
}

export type ChecksOutcome =
  | { readonly kind: "ran"; readonly run: CheckRun; readonly after: Fingerprint }
  | { readonly kind: "aborted" };

/**
 * Runs the whole set on a repo that stays unchanged: if the fingerprint moved under it, once more; where it moved
 * again, the run says which paths. A set in which a required check failed twice is not run again: a second attempt could
 * only hide that.
 */
export async function runContractChecks(request: ChecksRequest, start?: Fingerprint): Promise<ChecksOutcome> {
  let before = start ?? (await takeFingerprint(request.repo, fingerprintExcludes(request.place, request.repo)));
  for (let attempt = 1; ; attempt += 1) {
    const ran = await runSteadily(request, attempt, before);
    if (ran === null) return { kind: "aborted" };
    const { results } = ran;
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
          ...ran,
          results: withPassed(results, request.history.checked, { pass: request.pass, fingerprint: after.hash }),
          contract: digestContract(request.contract),
        },
      };
    }
    before = after;
  }
}

export function runsInTurn({ parallel }: Pick<Contract, "parallel">, { inTurn }: Pick<TaskHistory, "inTurn">): boolean {
  return parallel === false || (parallel === "auto" && inTurn);
}

export function besideFinding(names: readonly string[]): Finding {
  const fix = "to run them so from the start: `parallel: false`";
  return infoFinding("TP_SIDE_BY_SIDE", renderBeside(names), { fix });
}

/** Equal as long as the same is asked of the checks, whether the brief or task-phase.yaml says so. */
export function digestContract(contract: Contract): string {
  return sha256(JSON.stringify(contract));
}

function failed(result: CheckResult): boolean {
  return result.required && result.status !== "pass";
}

/**
 * Runs the set, then what failed again, one check at a time: that result counts. If checks that had run in parallel pass
 * this way, the whole set runs in parallel once more, which shows whether that makes them fail. Nothing runs again on code
 * that the checks themselves have changed. Null after a signal.
 */
async function runSteadily(
  request: ChecksRequest,
  attempt: number,
  code: Fingerprint,
): Promise<Pick<CheckRun, "results" | "first" | "beside"> | null> {
  const { parallel, validators, scenarios } = request.contract;
  const folder = attempt === 1 ? "validators" : `validators-${attempt}`;
  const inTurn = runsInTurn(request.contract, request.history);
  const ran = await runSet(request, folder, { inTurn });
  // A program that cannot start now will not start on a second try.
  const failing = ran?.filter((result) => failed(result) && result.status !== "not_started") ?? [];
  const isBeside =
    !inTurn && failing.some(({ kind }) => (kind === "validator" ? validators.length > 1 : scenarios.length > 1));
  if (ran === null || failing.length === 0 || (request.isBaseline && !isBeside)) return ran && { results: ran };
  const now = await readCode(request.repo, request.place, "validators");
  if (now.problem !== null || now.fingerprint.hash !== code.hash) return { results: ran };
  const only = failing.map(({ name }) => name);
  const again = await runSet(request, `${folder}-again`, { inTurn: parallel !== true, only });
  if (again === null) return null;
  const counts = again.filter(({ status }) => status === "pass" || isBeside);
  const results = ran.map((one) => counts.find((two) => isSameCheck(one, two)) ?? one);
  const passed = (check: CheckResult) => results.some((one) => isSameCheck(one, check) && one.status === "pass");
  const first = failing.filter(passed);
  if (first.length === 0) return { results };
  if (!isBeside || parallel === true) return { results, first };
  const beside = await runSet(request, `${folder}-beside`, { inTurn: false });
  return beside && { results, first, beside: beside.some((check) => failed(check) && passed(check)) };
}

async function runSet(
  request: ChecksRequest,
  folder: string,
  { inTurn, only }: { readonly inTurn: boolean; readonly only?: readonly string[] },
): Promise<CheckResult[] | null> {
  const { live } = request.ports;
  makeFolder(join(request.logFolder, folder), 0o777, neverSynced);
  const isWanted = ({ name }: { readonly name: string }) => only?.includes(name) !== false;
  const set = await runChecks({
    validators: request.contract.validators.filter(isWanted),
    scenarios: request.contract.scenarios.filter(isWanted),
    inTurn,
    repo: request.repo,
    env: checkEnvironment(request.ports.env),
    logFolder: join(request.logFolder, folder),
    logRelative: join(request.logRelative, folder),
    redactor: request.ports.redactor,
    mark: request.mark,
    abort: request.ports.signal,
    before: request.history.before,
    ...(live === undefined ? {} : { running: live.running }),
  });
  const ground = { repo: request.repo, tasks: tasksInRepo(request.place, request.repo) };
  const told = set.results.map((result) => {
    if (result.failure === undefined) return result;
    const inTasks = aboutTasksAlone(result.excerpt, ground);
    const said = inTasks ?? aboutGit(result, request.repo) ?? result.failure.said;
    return {
      ...result,
      failure: { ...result.failure, said, ...(inTasks === null ? {} : { in_tasks: true as const }) },
    };
  });
  return set.aborted ? null : told;
}

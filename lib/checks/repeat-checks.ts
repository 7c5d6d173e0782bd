import { join } from "node:path";
import { somePaths } from "../git/choose-paths.ts";
import { listIgnoredFiles } from "../git/ignore-rules.ts";
import { type CheckRun, failedChecks } from "../rules/check-run.ts";
import { type ChecksRequest, runContractChecks } from "./contract-checks.ts";

/** What tools leave for their next run, and no test reads. */
const cache = /(?:^|\/)\.(?:coverage|eslintcache|DS_Store)|\.(?:log|pyc|tsbuildinfo|o|class)$/;

/**
 * The checks before the work, with what keeps them from being repeated, in words. If all pass, and leave files that git
 * ignores in folders that it does not, such as a database, they run once more to see that. Null after a signal.
 */
export async function runBeforeChecks(
  request: ChecksRequest,
): Promise<{ readonly run: CheckRun; readonly troubles: readonly string[] } | null> {
  const { repo, logFolder, logRelative, ports } = request;
  const known = await listIgnoredFiles(repo, ports.env);
  const outcome = await runContractChecks(request);
  if (outcome.kind === "aborted") return null;
  const { run } = outcome;
  const { moved, attempts } = run;
  if (attempts === 2 && moved.length > 0) {
    const what = `the checks change ${somePaths(moved)} each time that they run`;
    return { run, troubles: [`${what}: put that into .gitignore, or have it written elsewhere`] };
  }
  const now = failedChecks(run).length > 0 ? null : await listIgnoredFiles(repo, ports.env);
  const left = [...(now ?? [])].filter((path) => known?.has(path) === false && !cache.test(path));
  if (left.length === 0) return { run, troubles: [] };
  const folders = { logFolder: join(logFolder, "twice"), logRelative: join(logRelative, "twice") };
  const again = await runContractChecks({ ...request, ...folders });
  if (again.kind === "aborted") return null;
  const names = failedChecks(again.run).map(({ name }) => name);
  if (names.length === 0) return { run, troubles: [] };
  const what = `${names.join(", ")} passes once and not again: what it leaves in ${somePaths(left)}, which git ignores, is in the way`;
  return { run, troubles: [`${what}; have the check remove it first`] };
}

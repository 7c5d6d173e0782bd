import { basename, join } from "node:path";
import type { ContractCheck } from "../../documents/contract.ts";
import { childMark } from "../../process/mark.ts";
import type { CheckResult } from "../../rules/check-run.ts";
import { makeFolder, neverSynced } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { removeTree } from "../../store/remove-tree.ts";
import { digestHeldOut, placeHeldOut } from "../../task/held-out.ts";
import { runChecks } from "../runs/run-checks.ts";
import { type CellCut, type CellPlace, type CellRequest, refused } from "./cell.ts";
import { toCopy } from "./copy-paths.ts";

/**
 * Runs all checks of a cell in its copy: validators and scenarios first; held-out files are in the copy only while
 * their own checks run. Throws TP_DISK.
 */
export async function runSet(place: CellPlace): Promise<CheckResult[] | CellCut> {
  const { ground, request, copy, temporary, env } = place;
  const { validators, scenarios } = ground.checks;
  // The brief's expectations apply to the current checks, which may have more tests than at pass 1.
  const fit = (check: ContractCheck): ContractCheck => ({
    ...inCopy(check, ground.repo, copy),
    timeoutMs: Math.min(check.timeoutMs, request.longestMs?.get(check.name) ?? check.timeoutMs),
    ...(request.name.startsWith("old_") ? { expect: { minTests: null, output: null } } : {}),
  });
  const isWanted = ({ name }: { readonly name: string }) => request.only?.includes(name) !== false;
  const all = [...validators, ...scenarios];
  const last = all.findLastIndex(isWanted);
  // What runs in turn may need what a check before it makes.
  const runs = (check: ContractCheck) => isWanted(check) || (request.inTurn && all.indexOf(check) < last);
  const plain = await runChecks({
    ...settings(place),
    validators: validators.filter(runs).map(fit),
    scenarios: scenarios.filter(runs).map(fit),
    env,
  });
  if (plain.aborted) return { kind: "aborted" };
  const results = plain.results.filter(isWanted);
  for (const check of request.heldOut.filter(isWanted)) {
    const placed = placeHeldOut(check.folder, copy);
    // Code of the agent has run since they were compared, and a process of this user could write to them.
    if (digestHeldOut(check.folder) !== check.digest)
      return refused(`the held-out files of ${check.name} changed while the checks ran`);
    const logs = join(temporary, "held-out-logs");
    makeFolder(logs, 0o700);
    const held = await runChecks({
      ...settings(place),
      // Its output would tell the agent what it looks for, so it is not kept with the task.
      logFolder: logs,
      validators: [],
      scenarios: [inCopy(check, ground.repo, copy)],
      env: { ...env, TASK_PHASE_HELD_OUT: placed },
    });
    removeTree(placed);
    removeTree(logs);
    if (held.aborted) return { kind: "aborted" };
    results.push(...held.results.map((result) => hideOutput(result, request)));
  }
  return results;
}

function settings({ ground, request, copy, temporary }: CellPlace) {
  makeFolder(request.logFolder, 0o777, neverSynced);
  const { sandbox } = ground;
  return {
    repo: copy,
    inTurn: request.inTurn === true,
    logFolder: request.logFolder,
    logRelative: request.logRelative,
    redactor: ground.redactor,
    mark: childMark(ground.mark, request.name),
    abort: ground.signal,
    before: null,
    ...(ground.running === undefined ? {} : { running: ground.running }),
    ...(sandbox === null ? {} : { wrap: (argv: readonly string[]) => sandbox.wrap(argv, copy, temporary) }),
  };
}

function inCopy(check: ContractCheck, repo: string, copy: string): ContractCheck {
  return { ...check, command: check.command.map((word) => toCopy(word, repo, copy)) };
}

function hideOutput(result: CheckResult, { logFolder, logRelative }: CellRequest): CheckResult {
  const name = `held-out-${basename(result.log)}`;
  putFile(join(logFolder, name), "The output of a held-out check is not kept with the task.\n");
  const { unmet: _unmet, failure, ...rest } = result;
  const plain = failure === undefined ? {} : { failure: { by: failure.by, tests: [], said: null } };
  return { ...rest, ...plain, held_out: true, excerpt: "", log: `${logRelative}/${name}` };
}

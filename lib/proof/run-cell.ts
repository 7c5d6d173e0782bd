import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { CheckResult } from "../machine/facts.ts";
import type { Cell } from "../machine/square.ts";
import { runBounded } from "../process/bounded.ts";
import { childMark, type ProcessMark } from "../process/mark.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import type { ContractCheck, ProofRules } from "../task-folder/contract.ts";
import { quoteWord } from "../text/quote-word.ts";
import type { Redactor } from "../text/redact.ts";
import { runChecks } from "../validators/run-checks.ts";
import { copyCarried, findCarried } from "./carry.ts";
import { type CellHome, withPrivateHome } from "./cell-home.ts";
import { type CopyContents, makeCopy } from "./clean-copy.ts";
import { copyEnvironment, toCopy } from "./copy-paths.ts";
import type { DependencyPins } from "./dependency-pins.ts";
import { digestHeldOut, type PinnedCheck, placeHeldOut } from "./held-out.ts";
import type { Origin } from "./origin.ts";
import { removeTree } from "./remove-tree.ts";

/** What every cell of one square has in common. */
export interface CellGround {
  /** Its real path. */
  readonly repo: string;
  readonly origin: Origin | null;
  /** What git lists in the repo now, see `copyCarried`. */
  readonly listed: { has(path: string): boolean };
  /** What dependencies were at pass 1; null if that is not known, or what names them changed since. */
  readonly pins: DependencyPins | null;
  readonly checks: { readonly validators: readonly ContractCheck[]; readonly scenarios: readonly ContractCheck[] };
  readonly rules: Pick<ProofRules, "carry" | "prepare">;
  /** The environment of a check, see validators/environment.ts. */
  readonly env: Readonly<Record<string, string>>;
  /** The user's home folder, and whether the checks see it or an empty one. */
  readonly home: { readonly path: string; readonly seen: CellHome };
  /** Private folders of the runner, outside the repo: one for the copies, one for temporary files. */
  readonly copies: string;
  readonly temporary: string;
  readonly redactor: Redactor;
  readonly mark: ProcessMark;
  readonly signal: AbortSignal;
  /** The command line of a check in a sandbox that can write to these folders alone; null: no sandbox. */
  readonly sandbox: ((argv: readonly string[], cwd: string, writable: readonly string[]) => readonly string[]) | null;
}

export interface CellRequest {
  /** Names the folder of the logs too. */
  readonly name: "calibration" | "control" | "guard" | "counter";
  readonly contents: CopyContents;
  /** Absolute, and the same folder relative to the task folder. */
  readonly logFolder: string;
  readonly logRelative: string;
  readonly heldOut: readonly PinnedCheck[];
}

export type CellOutcome =
  | {
      readonly kind: "ran";
      readonly cell: Cell;
      readonly leftOut: readonly string[];
      /** The folders of dependencies that the copy held. */
      readonly carried: readonly string[];
      /** Null, or what of the copy could not be removed. */
      readonly leftover: string | null;
    }
  /** No copy could be made or prepared, so nothing was judged. */
  | { readonly kind: "refused"; readonly reason: string; readonly leftover: string | null }
  | { readonly kind: "aborted" };

const prepareTimeoutMs = 10 * 60_000;
const graceMs = 5_000;
const capBytes = 16 * 1024 * 1024;

/**
 * Runs the whole set of checks once in a clean copy of its own, and removes the copy. Nothing that an earlier cell left
 * is in it, so no cell can have a part in what another one shows. Throws TP_DISK.
 */
export async function runCell(ground: CellGround, request: CellRequest): Promise<CellOutcome> {
  const folder = join(ground.copies, request.name);
  const temporary = join(ground.temporary, `tmp-${request.name}`);
  removeTree(folder);
  // The folder's own name is the repo's: some tools take a project's name from it.
  const copy = join(folder, "tree", basename(ground.repo));
  let outcome: CellOutcome;
  let removed = false;
  try {
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    outcome = await runInCopy(ground, request, copy, temporary);
  } finally {
    removeTree(temporary);
    removed = removeTree(folder);
  }
  return outcome.kind !== "aborted" && !removed ? { ...outcome, leftover: folder } : outcome;
}

async function runInCopy(
  ground: CellGround,
  request: CellRequest,
  copy: string,
  temporary: string,
): Promise<CellOutcome> {
  const { repo, origin, signal } = ground;
  const made = await makeCopy({ repo, origin, contents: request.contents, target: copy, signal });
  if (made.kind === "aborted") return made;
  if (made.kind === "refused") return refused(made.reason);
  const mapped = copyEnvironment(ground.env, repo, copy, temporary);
  const env = ground.home.seen === "own" ? mapped : withPrivateHome(mapped, ground.home.path, temporary);
  const settled = await settleDependencies(ground, request, copy, env);
  if ("kind" in settled) return settled;
  if (signal.aborted) return { kind: "aborted" };
  const results = await runSet(ground, request, copy, env, temporary);
  if ("kind" in results) return results;
  const cell: Cell = { same_as: null, results };
  return {
    kind: "ran",
    cell,
    leftOut: [...made.leftOut, ...settled.leftOut],
    carried: settled.carried,
    leftover: null,
  };
}

interface Settled {
  /** The folders of dependencies that the copy holds, and what of them it does not hold. */
  readonly carried: readonly string[];
  readonly leftOut: readonly string[];
}

/** Carries dependencies along, or lets the contract's own commands make them. */
async function settleDependencies(
  ground: CellGround,
  request: CellRequest,
  copy: string,
  env: Readonly<Record<string, string>>,
): Promise<Settled | Exclude<CellOutcome, { kind: "ran" }>> {
  const { rules, repo, signal } = ground;
  if (rules.prepare.length > 0) return prepareCopy(ground, request, copy, env);
  const carried = findCarried(repo, request.contents.keys(), rules.carry);
  const leftOut: string[] = [];
  for (const folder of carried) {
    const isPinned = ground.pins?.folders.has(folder) === true || ground.pins?.isComplete === true;
    const pins = isPinned ? ground.pins : null;
    const done = await copyCarried({ repo, folder, target: copy, listed: ground.listed, pins, signal });
    leftOut.push(...done.leftOut);
    const { problem } = done;
    if (problem !== null) return refused(problem);
  }
  return { carried, leftOut };
}

async function prepareCopy(
  ground: CellGround,
  request: CellRequest,
  copy: string,
  env: Readonly<Record<string, string>>,
): Promise<Settled | Exclude<CellOutcome, { kind: "ran" }>> {
  const { rules, repo, mark, redactor, signal } = ground;
  makeFolder(request.logFolder);
  for (const [index, command] of rules.prepare.entries()) {
    const log = `prepare-${index + 1}.log`;
    const path = join(request.logFolder, log);
    const end = await runBounded({
      argv: command.map((word) => toCopy(word, repo, copy)),
      cwd: copy,
      env,
      stdin: null,
      timeoutMs: prepareTimeoutMs,
      graceMs,
      stdoutPath: path,
      stderrPath: path,
      capBytes,
      redactor,
      mark: childMark(mark, `${request.name}-prepare${index + 1}`),
      abort: signal,
      heading: `$ ${command.map(quoteWord).join(" ")}\n\n`,
    });
    if (end.kind === "aborted") return { kind: "aborted" };
    if (end.kind === "exited" && end.exitCode === 0) continue;
    const said = redactor.redact(command.join(" "));
    const how = end.kind === "exited" ? `exit ${end.exitCode ?? end.signal}` : end.kind.replace("_", " ");
    return refused(
      `\`${said}\` of proof.prepare did not pass in the clean copy: ${how}; see ${request.logRelative}/${log}`,
    );
  }
  return { carried: [], leftOut: [] };
}

/** Validators and scenarios first; held-out files are in the copy only while their own checks run. */
async function runSet(
  ground: CellGround,
  request: CellRequest,
  copy: string,
  env: Readonly<Record<string, string>>,
  temporary: string,
): Promise<CheckResult[] | Exclude<CellOutcome, { kind: "ran" }>> {
  const { validators, scenarios } = ground.checks;
  // What the brief expects of the output holds for the checks as they are now, which may be more than at pass 1.
  const fit = (check: ContractCheck): ContractCheck => ({
    ...inCopy(check, ground.repo, copy),
    ...(request.name === "guard" ? { expect: { minTests: null, output: null } } : {}),
  });
  const plain = await runChecks({
    ...settings(ground, request, copy, temporary),
    validators: validators.map(fit),
    scenarios: scenarios.map(fit),
    env,
  });
  if (plain.aborted) return { kind: "aborted" };
  const results = [...plain.results];
  for (const check of request.heldOut) {
    const placed = placeHeldOut(check.folder, copy);
    // Code of the agent has run since they were compared, and a process of this user could write to them.
    if (digestHeldOut(check.folder) !== check.digest)
      return refused(`the held-out files of ${check.name} changed while the checks ran`);
    const logs = join(temporary, "held-out-logs");
    makeFolder(logs, 0o700);
    const held = await runChecks({
      ...settings(ground, request, copy, temporary),
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

function refused(reason: string): Extract<CellOutcome, { kind: "refused" }> {
  return { kind: "refused", reason, leftover: null };
}

function settings(ground: CellGround, request: CellRequest, copy: string, temporary: string) {
  makeFolder(request.logFolder);
  const { sandbox } = ground;
  return {
    repo: copy,
    logFolder: request.logFolder,
    logRelative: request.logRelative,
    redactor: ground.redactor,
    mark: childMark(ground.mark, request.name),
    abort: ground.signal,
    baseline: null,
    ...(sandbox === null ? {} : { wrap: (argv: readonly string[]) => sandbox(argv, copy, [copy, temporary]) }),
  };
}

function inCopy(check: ContractCheck, repo: string, copy: string): ContractCheck {
  return { ...check, command: check.command.map((word) => toCopy(word, repo, copy)) };
}

function hideOutput(result: CheckResult, { logFolder, logRelative }: CellRequest): CheckResult {
  const name = `held-out-${basename(result.log)}`;
  putFile(join(logFolder, name), "The output of a held-out check is not kept with the task.\n");
  const { tests: _tests, unmet: _unmet, ...rest } = result;
  return { ...rest, held_out: true, excerpt: "", log: `${logRelative}/${name}` };
}

import type { Contract } from "../documents/contract.ts";
import { tasksInRepo } from "../task/fingerprint-excludes.ts";
import { judgeHeldOut } from "../task/held-out-pins.ts";
import { judgeReady } from "../task/judge-ready.ts";
import { findRepo, type TaskContract } from "../task/load-contract.ts";
import type { PassPorts } from "../task/records/ports.ts";
import type { TaskPlace } from "../task/records/task-place.ts";
import { orIfForeseen } from "../text/attempt.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { errorFinding, type Finding } from "../text/finding.ts";
import { foretellTroubles } from "./runs/foretell-trouble.ts";
import { judgeStart } from "./runs/judge-start.ts";

/** Refuses a task that lacks something before a model is paid for it. */
export interface ReadyPlace extends Pick<TaskPlace, "readme" | "taskDir" | "tasksRoot"> {
  /** How many passes have begun. Once one has, a contract that loses its checks is a person's edit: the gate asks. */
  readonly lastPass: number;
}

export interface CheckedContract {
  readonly contract: Pick<Contract, "repo" | "validators" | "scenarios" | "heldOut">;
}

/** Where a task is, and how many passes have begun. Read by name: a spread would leave out the paths made on demand. */
export function readyPlace({ readme, taskDir, tasksRoot }: TaskPlace, lastPass: number): ReadyPlace {
  return { readme, taskDir, tasksRoot, lastPass };
}

/**
 * An error for each validator and scenario whose command cannot start and, before the first pass pins them, for each
 * held-out folder that cannot be taken.
 */
export function judgeChecks(
  { contract }: CheckedContract,
  place: ReadyPlace,
  repo: string,
  env: Readonly<NodeJS.ProcessEnv>,
): Finding[] {
  const unready = judgeCommands([...contract.validators, ...contract.scenarios], place.readme, repo, env);
  return place.lastPass > 0 ? unready : [...unready, ...judgeHeldOut(place, repo, contract.heldOut)];
}

/** An error for each command that cannot start; `asFix` says what to write instead, if that is known. */
export function judgeCommands(
  checks: readonly { readonly name: string; readonly command: readonly string[] }[],
  file: string | null,
  repo: string,
  env: Readonly<NodeJS.ProcessEnv>,
  asFix: ((name: string, instead: readonly string[]) => string) | null = null,
): Finding[] {
  return checks.flatMap(({ name, command }) => {
    const found = judgeStart(command, { repo, searchPath: env.PATH });
    if (found === null) return [];
    const fix = found.instead === null || asFix === null ? found.fix : asFix(name, found.instead);
    return [errorFinding("TP_CHECK_MISSING", `the command of ${name} ${found.problem}`, { file, fix })];
  });
}

/** What `judgeChecks` finds in the repo that a run would take. None if no repo is found: a run may name one with --repo. */
export function judgeChecksAt(
  place: ReadyPlace,
  contract: CheckedContract,
  repoFlag: string | null,
  ports: Pick<PassPorts, "env" | "home" | "cwd">,
): Finding[] {
  const repo = repoOf(place, contract.contract, repoFlag, ports);
  return repo === null ? [] : judgeChecks(contract, place, repo, ports.env);
}

function repoOf(...where: Parameters<typeof findRepo>): string | null {
  return orIfForeseen(() => findRepo(...where), null);
}

/** A warning for each check of which the repo's files show that it will not work; none where no repo is found. */
export function foretellAt(
  place: Omit<ReadyPlace, "lastPass">,
  { contract, config }: Pick<TaskContract, "contract" | "config">,
  repoFlag: string | null,
  ports: Pick<PassPorts, "env" | "home" | "cwd">,
): Finding[] {
  const repo = repoOf(place, contract, repoFlag, ports);
  if (repo === null) return [];
  const commits = config.checkpoint !== "patch" && config.commits === "pass";
  const ground = { repo, env: ports.env, home: ports.home, commits, tasks: tasksInRepo(place, repo) };
  return foretellTroubles([...contract.validators, ...contract.scenarios], ground, place.readme);
}

/** Throws a config error with everything that the task lacks. */
export function requireReady(
  contract: TaskContract,
  place: ReadyPlace,
  repo: string,
  env: Readonly<NodeJS.ProcessEnv>,
): null {
  const findings = [...judgeReady(contract, place), ...judgeChecks(contract, place, repo, env)];
  if (findings.length > 0) throw new TaskPhaseError("config", findings);
  return null;
}

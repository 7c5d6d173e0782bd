import { join } from "node:path";
import type { Contract } from "../../documents/contract.ts";
import { takeFingerprint } from "../../git/fingerprint.ts";
import type { Fingerprint } from "../../git/fingerprint-entries.ts";
import { readHead } from "../../git/head.ts";
import { findGitPlace, type GitPlace } from "../../git/place.ts";
import { runGit } from "../../git/run-git.ts";
import { isProven } from "../../rules/headline.ts";
import type { TaskHistory } from "../../rules/history.ts";
import type { EndingVerdict, Moved } from "../../rules/standing-facts.ts";
import { statEntry } from "../../store/folder.ts";
import { fingerprintExcludes } from "../../task/fingerprint-excludes.ts";
import { findRepo } from "../../task/load-contract.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { catchForeseenIn, orIfForeseen } from "../../text/attempt.ts";
import type { TaskPhaseError } from "../../text/errors.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";
import { compareDelivery } from "./compare-delivery.ts";

interface RepoContract {
  readonly contract: Pick<Contract, "repo">;
}

export interface DoneTask {
  readonly place: TaskPlace;
  /** Null if the brief cannot be read. */
  readonly contract: RepoContract | null;
  readonly history: Pick<TaskHistory, "phase"> & { readonly lastVerdict: EndingVerdict | null };
}

/** `repo`: what `--repo` says; null: the brief does. */
export interface MovedPorts extends Pick<PassPorts, "env" | "home" | "cwd"> {
  readonly repo?: string | null;
}

type Present = Fingerprint | { readonly problem: string };

/**
 * Whether what a task handed over is still in the repo, which is read from disk, as before a verdict, and only for a task
 * that is done; tasks of one repo and tasks root have one reading in common.
 */
export function watchMoved(ports: MovedPorts): (task: DoneTask) => Promise<Moved | null> {
  const read = new Map<string, Promise<Present>>();
  return async ({ place, contract, history }) => {
    const last = history.lastVerdict;
    if (contract === null || history.phase !== "done" || !isProven(last)) return null;
    const repo = repoOf(place, contract, ports);
    if (repo === null) return null;
    const key = `${repo}\0${place.tasksRoot}`;
    const reading = read.get(key) ?? readRepo(place, repo, ports);
    read.set(key, reading);
    const present = await reading;
    if ("problem" in present) return { kind: "unseen", reason: present.problem };
    const then = last.checks?.fingerprint_after ?? "";
    if (present.hash === then) return null;
    const { delivered } = last.proof;
    if (delivered === undefined) return { kind: "unknown", reason: "it is not recorded what was handed over" };
    const compare = () => compareDelivery({ place, repo, entries: present.entries, then, delivered }, ports);
    return await catchForeseenIn(compare, (error) => ({ kind: "unseen", reason: firstMessage(error) }));
  };
}

async function readRepo(place: TaskPlace, repo: string, { env }: MovedPorts): Promise<Present> {
  return await catchForeseenIn(
    () => takeFingerprint(repo, fingerprintExcludes(place, repo), env),
    (error) => ({ problem: firstMessage(error) }),
  );
}

function firstMessage({ findings, message }: TaskPhaseError): string {
  return findings[0]?.message ?? message;
}

/** Null if the repo is not here, or only a run's `--repo` named it. */
function repoOf(place: TaskPlace, { contract }: RepoContract, ports: MovedPorts): string | null {
  return orIfForeseen(() => findRepo(place, contract, ports.repo ?? null, ports), null);
}

/**
 * A warning if the verdict that says `done` names a commit that the repository does not have, or if it has nothing that
 * is checked out, as after a power cut. None without git, and none in a clone that is shallow on purpose.
 */
export async function findLostCommit(
  { place, contract, history }: DoneTask & { readonly history: Pick<TaskHistory, "lastVerdict"> },
  repoFlag: string | null,
  ports: Pick<PassPorts, "env" | "home" | "cwd">,
): Promise<Finding[]> {
  const commit = history.lastVerdict?.code?.commit ?? null;
  if (history.phase !== "done" || commit === null || contract === null) return [];
  const look = async () => {
    const git = findGitPlace(findRepo(place, contract.contract, repoFlag, ports));
    if (git === null || statEntry(join(git.commonDir, "shallow")) !== null) return [];
    const lost = await renderLost(git, commit, ports.env);
    if (lost === null) return [];
    const fix = "git fsck and git reflog say what is left; the working tree may still have the work";
    return [warningFinding("TP_COMMIT_LOST", `the task is done, but ${lost}`, { file: git.gitDir, fix })];
  };
  // Commands that judge the repo or git report this problem.
  return await catchForeseenIn(look, () => []);
}

async function renderLost(git: GitPlace, commit: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  if ((await readHead(git, env)) === null) {
    // A new repository has no log of HEAD yet, and has lost nothing.
    return statEntry(join(git.gitDir, "logs", "HEAD")) === null ? null : `HEAD of ${git.top} names no commit`;
  }
  const args = ["cat-file", "-e", `${commit}^{commit}`];
  const { exitCode } = await runGit(git, args, { cwd: git.top, env, accept: [0, 1, 128] });
  return exitCode === 0 ? null : `the commit ${commit.slice(0, 12)} of its verdict is not in ${git.top}`;
}

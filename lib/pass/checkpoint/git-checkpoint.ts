import { dirname, join, relative } from "node:path";
import type { LoadedConfig } from "../../documents/config/load-config.ts";
import type { CheckedCode } from "../../git/checked-blobs.ts";
import { commitPaths, usualPatience } from "../../git/commit.ts";
import { seeStatus } from "../../git/git-answer.ts";
import type { Fence, LostPush } from "../../git/give-way.ts";
import { readHead } from "../../git/head.ts";
import { finishIndex } from "../../git/held-index.ts";
import { listPassCommits, type PassCommit } from "../../git/log.ts";
import { findGitPlace, type GitPlace } from "../../git/place.ts";
import { pushBranch } from "../../git/push.ts";
import { findUnproven } from "../../git/unproven.ts";
import { type CheckpointMode, commitsIn, pushesIn } from "../../rules/words.ts";
import { openPrivateFolder, stateHome } from "../../store/state-home.ts";
import type { Anchor } from "../../task/records/anchor.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { runnersPaths, type TaskPlace } from "../../task/records/task-place.ts";
import { gitFolder } from "../../task/records/work-folder.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { type Finding, hasErrors, warningFinding } from "../../text/finding.ts";
import { sha256 } from "../../text/sha256.ts";
import { commitMessage, shownId } from "./commit-message.ts";
import { pinFile, readPin } from "./git-capture.ts";
import { type CommittedCode, sortCode, unwelcomeCode } from "./git-pending.ts";
import { signerOf } from "./signing-key.ts";

export interface GitCheckpointRequest extends CommittedCode {
  readonly mode: CheckpointMode;
  readonly sign: LoadedConfig["sign"];
  readonly anchor: Anchor;
  readonly subject: string | null;
  /** A line for each report before this pass. */
  readonly reviews?: readonly string[];
  readonly checked: Omit<CheckedCode, "left"> | null;
}

interface GitCheckpoint {
  /** Null if not requested, or without git. */
  readonly pushed: boolean | null;
  /** Set if another machine's pass was pushed first. */
  readonly lost: LostPush | null;
  /** Repo paths in which what git holds is not what was proven, and the commit; null if it is, and if nothing was. */
  readonly unproven: { readonly commit: string | null; readonly paths: readonly string[] } | null;
  readonly findings: readonly Finding[];
}

type GitPorts = Pick<PassPorts, "env" | "home" | "redactor" | "signal">;

/**
 * Commits a durable verdict, and pushes it, as `checkpoint` says. Failures of git are findings that change neither
 * verdict nor exit code. Each verdict commits the task folder, even a rejected one for its proof. Accepted and
 * redirected ones also commit code, with what earlier passes left uncommitted, since the checks saw it. A commit whose
 * code differs from what was checked is an error, and is not pushed.
 */
export async function gitCheckpoint(request: GitCheckpointRequest, ports: GitPorts): Promise<GitCheckpoint> {
  const trees = commitsIn(request.mode) ? workingTrees(request) : [];
  const findings: Finding[] = [];
  if (trees.length === 0 && commitsIn(request.mode)) {
    const fix = "make a repository there with git init, or leave out `checkpoint` in task-phase.yaml";
    const message = "not committed: neither the repo nor the task folder is in a git repository";
    findings.push(warningFinding("TP_GIT_COMMIT", message, { file: request.repo, fix }));
  }
  const scratch = gitFolder(request.anchor.folder);
  const attempt = async (tree: GitPlace, code: string, act: () => Promise<void>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      const message = ports.redactor.redact((error as Error).message);
      const [own] = error instanceof TaskPhaseError ? error.findings : [];
      const told = own?.code === "TP_SIGN" ? own.code : code;
      findings.push(warningFinding(told, message, { file: own?.file ?? tree.top, fix: own?.fix ?? seeStatus }));
      return false;
    }
  };
  const signer = signerOf(request, ports);
  let pushed = pushesIn(request.mode) && trees.length > 0 ? true : null;
  let lost: LostPush | null = null;
  let unproven: GitCheckpoint["unproven"] = null;
  const { checked } = request;
  const tree = checked?.proven ?? null;
  const unprovenIn = async (git: GitPlace, commit: string | null): Promise<readonly string[]> =>
    checked === null || tree === null
      ? []
      : await findUnproven(git, request.repo, commit, { ...checked, tree }, ports.env);
  for (const { git, holdsCode, holdsTask } of trees) {
    let isWhole = true;
    const committed = await attempt(git, "TP_GIT_COMMIT", async () => {
      openPrivateFolder(scratch);
      const record = indexRecord(git, ports);
      openPrivateFolder(dirname(record));
      const code = holdsCode ? await sortCode(request, ports.env) : { taken: [], left: [] };
      const head = holdsCode && tree !== null ? await readHead(git, ports.env) : null;
      const behind = holdsCode ? await unprovenIn(git, head?.commit ?? null) : [];
      const isOurs = new Set(checked?.changed);
      const made = await commitPaths({
        repo: holdsCode ? request.repo : request.place.taskDir,
        scratch,
        // A pass that was killed, or whose commit left something out, noted no such paths.
        paths: [...new Set([...code.taken, ...behind.filter((path) => isOurs.has(path))])],
        folders: holdsTask ? [request.place.taskDir] : [],
        always: runnersPaths,
        message: ports.redactor.redact(commitMessage(request.task, request.event, request)),
        checked: holdsCode && checked !== null ? { ...checked, left: code.left } : null,
        signer: (await signer?.()) ?? null,
        record,
        env: ports.env,
      });
      findings.push(...made.findings);
      isWhole = !hasErrors(made.findings);
      if (made.unproven.length > 0) unproven = { commit: made.sha ?? head?.commit ?? null, paths: made.unproven };
    });
    if (pushed === null) continue;
    const arrived =
      committed &&
      isWhole &&
      (await attempt(git, "TP_PUSH_FAILED", async () => {
        const file = pinFile(git.gitDir, ports);
        const end = await pushBranch({
          repo: git.top,
          scratch,
          expected: { url: readPin(file), file },
          unwelcome: holdsCode ? unwelcomeCode(request, git) : () => [],
          unproven: async (commit) => {
            const paths = holdsCode ? await unprovenIn(git, commit) : [];
            if (paths.length > 0) unproven = { commit, paths };
            return paths;
          },
          fence: holdsTask ? fenceOf(request.place, request.task, request.event.pass, git) : null,
          signer,
          env: ports.env,
          signal: ports.signal,
        });
        pushed = pushed === true && end.pushed;
        lost ??= end.lost;
        findings.push(...end.findings);
      }));
    if (!arrived) pushed = false;
  }
  return { pushed, lost, unproven, findings };
}

/** Detects on a push whether another machine was faster. */
export function fenceOf(place: TaskPlace, task: string, pass: number, git: GitPlace): Fence {
  const id = shownId(task);
  const name = id.replace(/[^A-Za-z0-9_-]+/g, "-");
  return { task: id, journal: relative(git.top, place.journal), lostRef: `refs/task-phase/lost/${name}/${pass}-` };
}

/** Commits of the task's passes, newest first, for people; empty if git fails. */
export async function listCommits(
  repo: string,
  task: string,
  limit: number,
  env: NodeJS.ProcessEnv,
): Promise<PassCommit[]> {
  try {
    return await listPassCommits(repo, shownId(task), limit, env);
  } catch {
    return [];
  }
}

/** Records that a repository's index is behind a pass's commit. */
function indexRecord({ gitDir }: GitPlace, { env, home }: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(env, home), "repos", `${sha256(gitDir).slice(0, 32)}.json`);
}

/** Renews an index that a run killed while committing left behind. */
export async function finishCommits(
  repo: string,
  { taskDir }: Pick<TaskPlace, "taskDir">,
  ports: Pick<PassPorts, "env" | "home">,
): Promise<Finding[]> {
  const places = [findGitPlace(repo), findGitPlace(taskDir)].filter((place) => place !== null);
  const records = [...new Set(places.map((place) => indexRecord(place, ports)))];
  const found = records.map((record) => finishIndex(record, { patience: usualPatience, env: ports.env }));
  return (await Promise.all(found)).flat();
}

/** Two if the task folder is in a repository of its own. */
function workingTrees({
  repo,
  place,
}: GitCheckpointRequest): { readonly git: GitPlace; readonly holdsCode: boolean; readonly holdsTask: boolean }[] {
  const [code, task] = [findGitPlace(repo), findGitPlace(place.taskDir)];
  const isOne = code !== null && task !== null && code.top === task.top;
  return [
    ...(code === null ? [] : [{ git: code, holdsCode: true, holdsTask: isOne }]),
    ...(task === null || isOne ? [] : [{ git: task, holdsCode: false, holdsTask: true }]),
  ];
}

import { dirname, join, relative } from "node:path";
import type { Anchor } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { CheckedCode } from "../git/checked-blobs.ts";
import { commitPaths, usualPatience } from "../git/commit.ts";
import type { Fence, LostPush } from "../git/give-way.ts";
import { finishIndex } from "../git/held-index.ts";
import { listPassCommits, type PassCommit } from "../git/log.ts";
import { findGitPlace, type GitPlace } from "../git/place.ts";
import { pushBranch } from "../git/push.ts";
import { type CheckpointMode, commitsIn, pushesIn } from "../machine/checkpoint-mode.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, hasErrors, warningFinding } from "../report/finding.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { sha256 } from "../text/sha256.ts";
import { commitMessage, shownId } from "./commit-message.ts";
import { pinFile, readPin, seeStatus } from "./git-capture.ts";
import { type CommittedCode, sortCode, unwelcomeCode } from "./git-pending.ts";
import { signerOf } from "./signing-key.ts";

export interface GitCheckpointRequest extends CommittedCode {
  readonly mode: CheckpointMode;
  readonly sign: LoadedConfig["sign"];
  readonly anchor: Anchor;
  /** The first line of the message; null: the transition. */
  readonly subject: string | null;
  /** One line for each report that came before this pass; missing: none did. */
  readonly reviews?: readonly string[];
  /** The code that the verdict rests on; null if none was looked at. */
  readonly checked: Omit<CheckedCode, "left"> | null;
}

export interface GitCheckpoint {
  /** The folder is the top of the working tree that the commit belongs to. */
  readonly commits: readonly { readonly repo: string; readonly sha: string }[];
  /** Null if it was not asked for, or there is no git. */
  readonly pushed: boolean | null;
  /** Not null: another machine's pass was pushed first, so this one is not the task's. */
  readonly lost: LostPush | null;
  readonly findings: readonly Finding[];
}

type GitPorts = Pick<PassPorts, "env" | "home" | "redactor" | "signal">;

/**
 * After a verdict is durable: commits it, and pushes, as `checkpoint` says. Whatever git says to that is a finding, and
 * changes neither the verdict nor the exit code.
 *
 * Each verdict commits the task folder: STATE.md, the journal and the proof of a rejected pass are worth reading where
 * the git host shows them. Code is committed with accepted and redirected verdicts only, and then with what passes
 * before left behind without a commit: that work was in the repo while the checks ran, and a commit without it would
 * not be what was checked. A commit that does not hold the code as it was checked is an error, and is not pushed.
 */
export async function gitCheckpoint(request: GitCheckpointRequest, ports: GitPorts): Promise<GitCheckpoint> {
  const trees = commitsIn(request.mode) ? workingTrees(request) : [];
  const findings: Finding[] = [];
  let commits: { repo: string; sha: string }[] = [];
  const scratch = join(request.anchor.folder, "git-work");
  const attempt = async (tree: GitPlace, code: string, act: () => Promise<void>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      const message = ports.redactor.redact((error as Error).message);
      const [own] = error instanceof TaskPhaseError ? error.findings : [];
      findings.push(
        own?.code === "TP_SIGN"
          ? warningFinding(own.code, message, own)
          : warningFinding(code, message, { file: tree.top, fix: seeStatus }),
      );
      return false;
    }
  };
  const signer = signerOf(request, ports);
  let pushed = pushesIn(request.mode) && trees.length > 0 ? true : null;
  let lost: LostPush | null = null;
  for (const { git, holdsCode, holdsTask } of trees) {
    let isWhole = true;
    const committed = await attempt(git, "TP_GIT_COMMIT", async () => {
      openPrivateFolder(scratch);
      const record = indexRecord(git, ports);
      openPrivateFolder(dirname(record));
      const code = holdsCode ? await sortCode(request, ports.env) : { taken: [], left: [] };
      const made = await commitPaths({
        repo: holdsCode ? request.repo : request.place.taskDir,
        scratch,
        paths: code.taken,
        folders: holdsTask ? [request.place.taskDir] : [],
        message: ports.redactor.redact(commitMessage(request.task, request.event, request)),
        checked: holdsCode && request.checked !== null ? { ...request.checked, left: code.left } : null,
        signer: (await signer?.()) ?? null,
        record,
        env: ports.env,
      });
      findings.push(...made.findings);
      isWhole = !hasErrors(made.findings);
      if (made.sha !== null) commits.push({ repo: git.top, sha: made.sha });
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
          fence: holdsTask ? fenceOf(request.place, request.task, request.event.pass, git) : null,
          signer,
          env: ports.env,
          signal: ports.signal,
        });
        pushed = pushed === true && end.pushed;
        lost ??= end.lost;
        findings.push(...end.findings);
        commits = commits.map(({ repo, sha }) => ({
          repo,
          sha: repo === git.top ? (end.renamed.get(sha) ?? sha) : sha,
        }));
      }));
    if (!arrived) pushed = false;
  }
  return { commits, pushed, lost, findings };
}

/** How a push of the task's repository tells whether another machine was faster. */
export function fenceOf(place: TaskPlace, task: string, pass: number, git: GitPlace): Fence {
  const id = shownId(task);
  const name = id.replace(/[^A-Za-z0-9_-]+/g, "-");
  return {
    task: id,
    journal: relative(git.top, place.journal),
    lostRef: `refs/task-phase/lost/${name}/${pass}-`,
  };
}

/** The commits of a task's passes in the repo, newest first, for people; none if git cannot tell. */
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

/** Where it is noted that the index of a repository is behind the commit of a pass. */
function indexRecord({ gitDir }: GitPlace, { env, home }: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(env, home), "repos", `${sha256(gitDir).slice(0, 32)}.json`);
}

/** Renews what a run left behind in the repositories of the task that was cut off while it committed. */
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

interface WorkingTree {
  readonly git: GitPlace;
  readonly holdsCode: boolean;
  readonly holdsTask: boolean;
}

/** One or two: the task folder may be in a repository of its own. */
function workingTrees({ repo, place }: GitCheckpointRequest): WorkingTree[] {
  const [code, task] = [findGitPlace(repo), findGitPlace(place.taskDir)];
  const isOne = code !== null && task !== null && code.top === task.top;
  return [
    ...(code === null ? [] : [{ git: code, holdsCode: true, holdsTask: isOne }]),
    ...(task === null || isOne ? [] : [{ git: task, holdsCode: false, holdsTask: true }]),
  ];
}

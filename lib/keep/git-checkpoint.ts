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
import type { FindSigner } from "../git/ssh-keygen.ts";
import { type CheckpointMode, commitsIn, pushesIn } from "../machine/checkpoint-mode.ts";
import type { PassRunner } from "../machine/events.ts";
import type { VerdictEvent } from "../machine/verdict-event.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, hasErrors, warningFinding } from "../report/finding.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { fingerprintExcludes } from "../task/look.ts";
import { sha256 } from "../text/sha256.ts";
import { shorten } from "../text/shorten.ts";
import { pinFile, readPin, seeStatus } from "./git-capture.ts";
import { readPassPaths } from "./git-pending.ts";
import { findSigner } from "./signing-key.ts";

export interface GitCheckpointRequest {
  readonly mode: CheckpointMode;
  readonly sign: LoadedConfig["sign"];
  readonly place: TaskPlace;
  readonly anchor: Anchor;
  readonly repo: string;
  /** The task's id. */
  readonly task: string;
  /** The first line of the message; null: the transition. */
  readonly subject: string | null;
  /** The verdict, or the runner's own stop, durable already. */
  readonly event: CommittedMove;
  /** One line for each report that came before this pass; missing: none did. */
  readonly reviews?: readonly string[];
  /** All paths that the pass changed, relative to the repo; the event lists only so many. */
  readonly changedPaths: readonly string[];
  /** The code that the verdict rests on; null if none was looked at. */
  readonly checked: Omit<CheckedCode, "left"> | null;
  /** The verdicts before, oldest first. */
  readonly earlier: readonly VerdictEvent[];
}

/** The source of a commit: a verdict, or `stopped` if the runner stopped the task outside a pass. */
export type CommittedMove = Pick<VerdictEvent, "from" | "to" | "pass"> & {
  readonly verdict: VerdictEvent["verdict"] | "stopped";
};

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
      const code = holdsCode ? await sortCode(request, ports) : { taken: [], left: [] };
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

/** Who signs, if anybody does: not found before it is needed. */
export function signerOf(
  { sign, repo, place }: Pick<GitCheckpointRequest, "sign" | "repo" | "place">,
  ports: Pick<PassPorts, "env" | "home">,
): FindSigner | null {
  return sign === "ssh" ? () => findSigner([repo, place.tasksRoot], ports) : null;
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

/** The transition in the subject, and trailers by which the commit is found again. */
export function commitMessage(
  task: string,
  event: CommittedMove,
  { reviews = [], subject = null, runner }: MessageParts = {},
): string {
  const { from, to, verdict, pass } = event;
  const lines = reviews.map((review) => `Task-Phase-Review: ${shorten(review, 200)}\n`).join("") + trailersOf(runner);
  const move = `task-phase: ${shorten(task, 60)} ${from} → ${to} (${verdict}, pass ${pass})`;
  return `${subject ?? move}\n\nTask-Phase-Task: ${shownId(task)}\nTask-Phase-Pass: ${pass}\nTask-Phase-Verdict: ${verdict}\n${lines}`;
}

interface MessageParts {
  readonly reviews?: readonly string[];
  readonly subject?: string | null;
  /** Who claimed the pass. */
  readonly runner?: PassRunner;
}

interface ClaimWords {
  readonly pass: number;
  readonly phase: string;
  readonly model: string;
  /** It does not begin at once: baseline or reviewers come first. */
  readonly isAhead: boolean;
}

/** Of the commit that claims a pass. It has no verdict, so no reader takes it for that of a pass. */
export function claimMessage(task: string, { pass, phase, model, isAhead }: ClaimWords, runner: PassRunner): string {
  const does = isAhead ? "is claimed" : "begins";
  const subject = `task-phase: ${shorten(task, 60)} pass ${pass} ${does} (${phase}, ${shorten(model, 60)})`;
  return `${subject}\n\nTask-Phase-Task: ${shownId(task)}\nTask-Phase-Claim: ${pass}\n${trailersOf(runner)}`;
}

function trailersOf(runner: PassRunner | undefined): string {
  if (runner === undefined) return "";
  return `Task-Phase-Worker: ${shorten(runner.worker, 100)}\nTask-Phase-Attempt: ${shorten(runner.attempt, 100)}\n`;
}

/** The id as the trailers of a commit have it. */
export function shownId(task: string): string {
  return shorten(task.trim(), 200);
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

/** The code that is not committed yet: what the commit takes, and what stays in the repo without one. */
async function sortCode(request: GitCheckpointRequest, ports: GitPorts): Promise<{ taken: string[]; left: string[] }> {
  const { event, task, repo } = request;
  const known = await listPassCommits(repo, shownId(task), Number.MAX_SAFE_INTEGER, ports.env);
  const last = Math.max(0, ...known.filter(({ verdict }) => takesCode(verdict)).map(({ pass }) => pass));
  const pending = request.earlier.filter(({ pass }) => pass > last);
  const open = [...pending.flatMap((verdict) => readPassPaths(request.place, verdict)), ...request.changedPaths];
  return takesCode(event.verdict) ? { taken: open, left: [] } : { taken: [], left: open };
}

/** Code is committed with these verdicts alone. */
function takesCode(verdict: string): boolean {
  return verdict === "accepted" || verdict === "redirected";
}

/**
 * What was proven holds for the code as it is: in review and done nothing may come into the repo but task folders,
 * which are no part of its contents. Those that only now come in count as such if their STATE.md comes along.
 */
function unwelcomeCode(request: GitCheckpointRequest, git: GitPlace): (paths: readonly string[]) => readonly string[] {
  const { event, place, repo } = request;
  if (event.to !== "review" && event.to !== "done") return () => [];
  const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  return (paths) => {
    const whole = paths.map((path) => join(git.top, path));
    const known = fingerprintExcludes(place, repo);
    const coming = whole.flatMap((path) => {
      const [name = "", file, ...deeper] = relative(place.tasksRoot, path).split("/");
      const isState = file === "STATE.md" && deeper.length === 0 && !name.startsWith(".");
      return isState ? [join(place.tasksRoot, name)] : [];
    });
    const free = [...known, ...coming];
    return paths.filter((_path, index) => {
      const path = whole[index] ?? "";
      return isIn(path, repo) && !free.some((folder) => isIn(path, folder));
    });
  };
}

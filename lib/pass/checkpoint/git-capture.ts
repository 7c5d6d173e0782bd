import { join } from "node:path";
import { somePaths } from "../../git/choose-paths.ts";
import { seeStatus } from "../../git/git-answer.ts";
import { listCommitHooks } from "../../git/hooks.ts";
import { listIgnoredFiles } from "../../git/ignore-rules.ts";
import { countChangedLines, makePatches, type SinceCommit } from "../../git/patch.ts";
import { findGitPlace } from "../../git/place.ts";
import { pushUrl } from "../../git/push.ts";
import { whereGitCan } from "../../git/remote.ts";
import { captureTree } from "../../git/tree.ts";
import { type CheckpointMode, commitsIn, pushesIn } from "../../rules/words.ts";
import { machineFault, passMachineFault } from "../../store/error-code.ts";
import type { FolderSyncs } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { readText } from "../../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../../store/state-home.ts";
import { fingerprintExcludes } from "../../task/fingerprint-excludes.ts";
import type { Anchor } from "../../task/records/anchor.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { passFolder, type TaskPlace } from "../../task/records/task-place.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { type Finding, infoFinding, warningFinding } from "../../text/finding.ts";
import { sha256 } from "../../text/sha256.ts";

/** Facts that must precede the model. */
export type GitBefore = Readonly<Awaited<ReturnType<typeof captureGit>>>;

type GitPorts = Pick<PassPorts, "env" | "home" | "redactor">;

/**
 * Before EXEC, since a pass can write `.git/config`. Failures of git are findings. `tree` and `ignored`, the ignored source
 * files: null without git, or if git failed; then there is no patch. Throws TP_DISK.
 */
export async function captureGit(
  request: {
    readonly place: TaskPlace;
    readonly repo: string;
    readonly anchor: Anchor;
    readonly mode: CheckpointMode;
    readonly pass: number;
  },
  ports: GitPorts,
) {
  const { place, repo, anchor } = request;
  const findings: Finding[] = [];
  const attempt = async <Value>(act: () => Promise<Value>, what: string): Promise<Value | null> => {
    try {
      return await act();
    } catch (error) {
      // Without the capture the bounds of the change would not be judged.
      passMachineFault(error);
      const message = `${what}: ${ports.redactor.redact((error as Error).message)}`;
      findings.push(warningFinding("TP_GIT_CAPTURE", message, { file: repo, fix: seeStatus }));
      return null;
    }
  };
  const scratch = join(anchor.folder, "git-tree");
  const tree = await attempt(
    () => captureTree(repo, scratch, fingerprintExcludes(place, repo), ports.env),
    "there will be no patch of this pass",
  );
  if (pushesIn(request.mode)) {
    const isOne = findGitPlace(repo)?.top === findGitPlace(place.taskDir)?.top;
    for (const folder of isOne ? [repo] : [repo, place.taskDir]) {
      await attempt(() => pinPushUrl(folder, anchor, ports), "it could not be recorded where the repo is pushed to");
    }
  }
  if (commitsIn(request.mode) && request.pass === 1)
    findings.push(
      ...((await attempt(() => findHooks(repo, ports.env), "the hooks of the repo could not be listed")) ?? []),
    );
  const ignored = commitsIn(request.mode) ? await listIgnoredCode(repo, ports.env) : null;
  return { tree, ignored, findings };
}

/** Once a task: a team whose hooks format or judge commits would else find out at the push. */
async function findHooks(repo: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const hooks = await listCommitHooks(repo, env);
  if (hooks.length === 0) return [];
  const fix = "make what they check a validator of the brief; docs/config.md says why, under Checkpoints";
  const message = `the commits of task-phase run no hook of this repo: ${hooks.join(", ")}`;
  return [infoFinding("TP_GIT_HOOKS", message, { file: repo, fix })];
}

/** `changes.patch` of this pass and `task.patch` since the first one, before the evidence that shows them. */
export async function writePatch(
  before: GitBefore,
  request: {
    readonly place: TaskPlace;
    readonly pass: number;
    readonly changedPaths: readonly string[];
    /** Absent: no patch of the whole task. */
    readonly since?: SinceCommit | null;
    readonly syncs: FolderSyncs;
  },
  ports: GitPorts,
): Promise<readonly Finding[]> {
  if (before.tree === null || request.changedPaths.length === 0) return [];
  const folder = passFolder(request.place, request.pass);
  try {
    const { changedPaths, since = null } = request;
    const made = await makePatches(before.tree, { changedPaths, since }, ports.env);
    for (const [name, patch] of [
      ["changes.patch", made.pass],
      ["task.patch", made.task],
    ] as const) {
      // Bytes stay unchanged in any encoding.
      const clean = patch === null ? null : ports.redactor.redact(patch.toString("latin1"));
      if (clean !== null) putFile(join(folder, name), Buffer.from(clean, "latin1"), { syncs: request.syncs });
    }
    return [];
  } catch (error) {
    const message = `there is no patch of this pass: ${ports.redactor.redact((error as Error).message)}`;
    return [warningFinding("TP_GIT_PATCH", message, { file: join(folder, "changes.patch"), fix: seeStatus })];
  }
}

/** Null without git, and if git failed. */
export async function countLines(
  { tree }: GitBefore,
  changedPaths: readonly string[],
  { env }: Pick<PassPorts, "env">,
): Promise<number | null> {
  if (tree === null) return null;
  try {
    return await countChangedLines(tree, changedPaths, env);
  } catch (error) {
    // The patch, made from the same capture, reports it.
    if (error instanceof TaskPhaseError && machineFault(error) === null) return null;
    throw error;
  }
}

/** Where a repository was pushed to before any model ran; one file a repository, for all tasks. */
export function pinFile(gitDir: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(ports.env, ports.home), "remotes", `${sha256(gitDir).slice(0, 32)}.txt`);
}

export function readPin(file: string): string | null {
  return readText(file, 64 * 1024)?.trimEnd() ?? null;
}

/** The first answer stays: only a pass, or a person who removes the file, changes the remote. */
async function pinPushUrl(folder: string, anchor: Anchor, ports: GitPorts): Promise<void> {
  const git = findGitPlace(folder);
  if (git === null || readPin(pinFile(git.gitDir, ports)) !== null) return;
  const url = await pushUrl(folder, ports.env);
  if (url === null) return;
  openPrivateFolder(join(stateHome(ports.env, ports.home), "remotes"));
  putFile(pinFile(git.gitDir, ports), `${url}\n`, { mode: 0o600, temporaryIn: anchor.folder });
}

/** Files that could make a check pass: sources, not logs and caches. */
const source =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|scala|groovy|cs|fs|c|cc|cpp|cxx|h|hpp|m|mm|php|swift|sh|bash|sql|vue|svelte|exs?|erl|clj|lua|pl|r|jl|hs|ml|dart|zig)$/i;

/** Source files that git ignores one by one, before the model runs. Null without git, or if git failed. */
export async function listIgnoredCode(repo: string, env: NodeJS.ProcessEnv): Promise<ReadonlySet<string> | null> {
  const files = await whereGitCan(() => listIgnoredFiles(repo, env));
  return files === null ? null : new Set([...files].filter((path) => source.test(path)));
}

/** Names new ones afterwards: the checks see them, a commit does not include them. */
export async function nameIgnoredCode(
  repo: string,
  before: ReadonlySet<string> | null,
  env: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  const now = before === null ? null : await listIgnoredCode(repo, env);
  const made = [...(now ?? [])].filter((path) => before?.has(path) === false).sort();
  if (made.length === 0) return [];
  const message = `the pass made source files that git ignores, so no commit contains them: ${somePaths(made)}`;
  const fix = "to see why git ignores them: git check-ignore -v PATH";
  return [warningFinding("TP_GIT_IGNORED", message, { file: repo, fix })];
}

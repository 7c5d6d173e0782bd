import { join } from "node:path";
import type { Anchor } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import { passFolder, type TaskPlace } from "../anchor/task-place.ts";
import { countChangedLines, makePatches, type SinceCommit } from "../git/patch.ts";
import { findGitPlace } from "../git/place.ts";
import { pushUrl } from "../git/push.ts";
import { type CapturedTree, captureTree } from "../git/tree.ts";
import { type CheckpointMode, commitsIn, pushesIn } from "../machine/checkpoint-mode.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { machineFault, passMachineFault } from "../store/error-code.ts";
import type { FolderSyncs } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { fingerprintExcludes } from "../task/look.ts";
import { sha256 } from "../text/sha256.ts";
import { listIgnoredCode } from "./ignored-code.ts";

/** Facts from git that must be taken before the model runs. */
export interface GitBefore {
  /** Null without git, or if git failed; then there is no patch. */
  readonly tree: CapturedTree | null;
  /** The source files that git ignores; null without git, if git failed, and if nothing is committed. */
  readonly ignored: ReadonlySet<string> | null;
  readonly findings: readonly Finding[];
}

/** What to do if git failed; the verdict is valid regardless. */
export const seeStatus = "make sure that git status works there; the next pass tries again";

type GitPorts = Pick<PassPorts, "env" | "home" | "redactor">;

/**
 * Before EXEC: notes what is in the repo, for the patch, and where it is pushed to, since a pass can write
 * `.git/config`. Does not throw for what git says; that is a finding. Throws TP_DISK.
 */
export async function captureGit(
  request: { readonly place: TaskPlace; readonly repo: string; readonly anchor: Anchor; readonly mode: CheckpointMode },
  ports: GitPorts,
): Promise<GitBefore> {
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
      await attempt(() => pinPushUrl(folder, ports), "it could not be recorded where the repo is pushed to");
    }
  }
  const ignored = commitsIn(request.mode) ? await listIgnoredCode(repo, ports.env) : null;
  return { tree, ignored, findings };
}

/**
 * CHECKPOINT, before the evidence is written, which shows them: `changes.patch` under the pass, and `task.patch`, which
 * holds all that the task changed since its first pass. Both only if this pass changed code.
 */
export async function writePatch(
  before: GitBefore,
  request: {
    readonly place: TaskPlace;
    readonly pass: number;
    readonly changedPaths: readonly string[];
    /** Null or missing: no patch of the whole task. */
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
      // Bytes stay what they are, whatever their encoding.
      const clean = patch === null ? null : ports.redactor.redact(patch.toString("latin1"));
      if (clean !== null) putFile(join(folder, name), Buffer.from(clean, "latin1"), { syncs: request.syncs });
    }
    return [];
  } catch (error) {
    const message = `there is no patch of this pass: ${ports.redactor.redact((error as Error).message)}`;
    return [warningFinding("TP_GIT_PATCH", message, { file: join(folder, "changes.patch"), fix: seeStatus })];
  }
}

/** How many lines the pass changed; null without git, and if git failed. */
export async function countLines(
  { tree }: GitBefore,
  changedPaths: readonly string[],
  { env }: Pick<PassPorts, "env">,
): Promise<number | null> {
  if (tree === null) return null;
  try {
    return await countChangedLines(tree, changedPaths, env);
  } catch (error) {
    // The patch, which is made of the same capture, says what is wrong.
    if (error instanceof TaskPhaseError && machineFault(error) === null) return null;
    throw error;
  }
}

/** The file that says where a repository was pushed to before any model ran; one a repository, for all tasks. */
export function pinFile(gitDir: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(ports.env, ports.home), "remotes", `${sha256(gitDir).slice(0, 32)}.txt`);
}

/** The URL that was noted; null if none was. */
export function readPin(file: string): string | null {
  const read = readRegularFile(file, 64 * 1024);
  return read.kind === "file" ? read.bytes.toString("utf8").trimEnd() : null;
}

/** The first answer stays: who changes the remote later on is a person, who removes the file, or a pass. */
async function pinPushUrl(folder: string, ports: GitPorts): Promise<void> {
  const git = findGitPlace(folder);
  if (git === null || readPin(pinFile(git.gitDir, ports)) !== null) return;
  const url = await pushUrl(folder, ports.env);
  if (url === null) return;
  openPrivateFolder(join(stateHome(ports.env, ports.home), "remotes"));
  putFile(pinFile(git.gitDir, ports), `${url}\n`, { mode: 0o600 });
}

import { renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { loadConfig } from "../documents/config/load-config.ts";
import { readTaskFile, taskFiles } from "../documents/read-task-file.ts";
import { readSettings } from "../git/git-settings.ts";
import { listChanged } from "../git/head.ts";
import { findGitPlace } from "../git/place.ts";
import { showUrl, withoutCredentials } from "../git/push-target.ts";
import { cacheHome, openPrivateFolder } from "../store/state-home.ts";
import { findRepo } from "../task/load-contract.ts";
import { locateTask } from "../task/records/task-place.ts";
import { requireTrustedRemote } from "../task/trust.ts";
import { catchForeseen, orIfForeseen } from "../text/attempt.ts";
import { configError, diskError, type TaskPhaseError } from "../text/errors.ts";
import type { Finding } from "../text/finding.ts";
import { type ClaimContext, fetchBranches } from "./claim-context.ts";
import type { ClaimNote } from "./claim-note.ts";
import { claimPlace } from "./claim-place.ts";
import { makeClone, type WorkClone } from "./clone.ts";
import { beginCode, codeRefsOf, findNamedCode, placeTrees } from "./code-place.ts";
import type { Mirror } from "./mirror.ts";
import type { OpenBranch } from "./open-branch.ts";
import { resolveRemote } from "./read-remote.ts";

/** The code of a claimed pass, in a repository of its own. */
export interface OpenCode {
  readonly clone: WorkClone;
  readonly url: string;
  /** The task's branch in the remote of the code, a full name. */
  readonly ref: string;
  readonly begin: string;
  /** What the task's last step names; null: nothing yet. */
  readonly named: string | null;
  readonly findings: readonly Finding[];
}

/**
 * With `fleet.code`: clones the code beside the tasks, which are moved to where the brief's `repo` leads from them to
 * the code. Null: the tasks' clone contains the code. Throws config errors for a `repo` that leads elsewhere and for an
 * untrusted remote, locked errors for one that does not answer, and data errors as `beginCode`.
 */
export async function openCode(
  context: ClaimContext,
  branch: OpenBranch,
): Promise<{ readonly branch: OpenBranch; readonly code: OpenCode | null }> {
  const { request, place, ports } = context;
  const brief = readRepo(context, branch.taskDir);
  const { top } = branch.clone.git;
  const code = branch.fleet?.code ?? null;
  const trees = brief === null ? null : placeTrees(place.pair, { top, taskDir: branch.taskDir, code, ...brief });
  if (trees === null) return { branch, code: null };
  const url = codeUrl(code ?? "", context);
  const mirror = await fetchCode(context, url);
  const named = await findNamedCode(branch.clone.git, { commit: branch.base, task: request.task }, ports.env);
  const { ref } = branch;
  const { task, takeover } = request;
  const found = await beginCode({ mirror, url, task, ref, named, takeover, env: ports.env });
  const begin = found?.commit ?? findBegin(branch, mirror, url);
  if (begin === branch.base) throw sameRepository(url);
  rmSync(place.pair, { recursive: true, force: true });
  const moved = await moveTasks(branch, trees.tasks, ports.env);
  const { env, signal } = ports;
  const clone = await makeClone({ folder: trees.code, mirror, url, ref, commit: begin, raw: "", env, signal });
  return { branch: moved, code: { clone, url, ref, begin, named, findings: found?.findings ?? [] } };
}

/** Null: the brief cannot be read, which the pass itself says, as everywhere. */
function readRepo(
  { request, ports }: Pick<ClaimContext, "request" | "ports">,
  taskDir: string,
): { readonly repo: string | null; readonly readme: string } | null {
  const { env, home, cwd } = ports;
  const { defaults } = loadConfig({ configFlag: request.pass.config, env, home, cwd, taskDir });
  const readme = join(taskDir, "README.md");
  return orIfForeseen(() => ({ repo: readTaskFile(taskFiles.brief, taskDir, defaults).contract.repo, readme }), null);
}

function codeUrl(written: string, { request, ports }: ClaimContext): string {
  const url = existing(written, ports);
  if (withoutCredentials(url) === withoutCredentials(request.url)) throw sameRepository(url);
  requireTrustedRemote(withoutCredentials(url), ports);
  return url;
}

/** The path of a repository as the trust in it has it. */
function existing(written: string, ports: ClaimContext["ports"]): string {
  return catchForeseen(
    () => resolveRemote(written, "/", ports),
    ({ message }) => {
      throw configError("TP_CODE_PLACE", `fleet.code does not name a repository: ${showUrl(written)}: ${message}`, {
        fix: "correct fleet.code in task-phase.yaml",
      });
    },
  );
}

function sameRepository(url: string): TaskPhaseError {
  return configError("TP_CODE_PLACE", `fleet.code is the repository of the tasks: ${showUrl(url)}`, {
    fix: "remove fleet.code if tasks and code are in one repository; else correct it",
  });
}

async function fetchCode(context: ClaimContext, url: string): Promise<Mirror> {
  const { request, ports } = context;
  const forCode = { ...context, request: { ...request, url } };
  const own = claimPlace(cacheHome(ports.env, ports.home), withoutCredentials(url), request.task);
  return await fetchBranches(forCode, own, [`${codeRefsOf(request.task)}*`]);
}

/** `fleet.base` is that of the tasks first: the code may have no branch of that name, and begins at its default one then. */
function findBegin({ layout }: OpenBranch, mirror: Mirror, url: string): string {
  const base = layout.config.fleet?.base ?? null;
  const named = base === null ? null : mirror.commitOf(`refs/heads/${base}`);
  const commit = named ?? (mirror.head === null ? null : mirror.commitOf(mirror.head));
  if (commit !== null) return commit;
  throw configError("TP_CODE_PLACE", `the repository of the code has no branch to start from: ${showUrl(url)}`, {
    fix: "push a branch there, and make it the default branch",
  });
}

async function moveTasks(branch: OpenBranch, tasks: string, env: NodeJS.ProcessEnv): Promise<OpenBranch> {
  const { git } = branch.clone;
  openPrivateFolder(dirname(tasks));
  renameSync(git.top, tasks);
  const place = findGitPlace(tasks);
  if (place === null) throw diskError("TP_GIT", "the clone of the tasks could not be moved", { file: tasks });
  const clone = { git: place, settings: await readSettings(place, env) };
  return { ...branch, clone, taskDir: join(place.top, relative(git.top, branch.taskDir)) };
}

/**
 * Once nothing else makes files: the repo that the pass will find is in the clone that its code is committed from. A link
 * in the tasks' repository, or a submodule, would lead to files of somebody else. Throws a config error (TP_CODE_PLACE).
 */
export function requireOwnRepo(context: ClaimContext, taskDir: string, { git }: WorkClone): void {
  const brief = readRepo(context, taskDir);
  if (brief === null) return;
  const { ports } = context;
  const found = findRepo(locateTask(taskDir, ports.cwd), brief, null, ports);
  if (findGitPlace(found)?.top === git.top) return;
  throw configError("TP_CODE_PLACE", "`repo` in the brief leads out of the clone through a link, or into a submodule", {
    file: brief.readme,
    fix: "write a path without links; the code of a task that is in another repository is cloned by fleet.code",
  });
}

/** What the machine's own note has to record to continue after a crash. */
export async function codeNote(
  { clone, url, ref, begin, named }: OpenCode,
  tasks: WorkClone,
  env: NodeJS.ProcessEnv,
): Promise<NonNullable<ClaimNote["code"]>> {
  const leftovers = await listChanged(clone.git, clone.git.top, env);
  return { url, ref, begin, named, top: clone.git.top, tasks: tasks.git.top, leftovers };
}

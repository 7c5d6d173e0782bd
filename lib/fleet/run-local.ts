import { join, relative } from "node:path";
import { loadConfig } from "../documents/config/load-config.ts";
import { readTaskFile, taskFiles } from "../documents/read-task-file.ts";
import type { GitPlace } from "../git/place.ts";
import { signerOf } from "../pass/checkpoint/signing-key.ts";
import { readHistory } from "../rules/add-event.ts";
import { machineFault } from "../store/error-code.ts";
import { isLocked } from "../store/lock.ts";
import { cacheHome } from "../store/state-home.ts";
import { readListed } from "../task/list-tasks.ts";
import { lockInRoot } from "../task/locks.ts";
import { handOnDelivered } from "../task/records/anchor.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { readTaskJournal } from "../task/records/task-journal.ts";
import { placeIn, placeOf } from "../task/records/task-place.ts";
import type { PassReport } from "../task/request.ts";
import { TaskPhaseError } from "../text/errors.ts";
import type { Finding } from "../text/finding.ts";
import { mapStrings } from "../text/map-strings.ts";
import { type ClaimRequest, HeldClaimError } from "./claim-context.ts";
import { readNote } from "./claim-note.ts";
import { claimPlace, workspaceOf } from "./claim-place.ts";
import { type LocalWork, openLocal } from "./local-work.ts";
import { inClone, runClaimed } from "./run-claimed.ts";

export interface LocalRequest extends Pick<ClaimRequest, "runner" | "onClaimed" | "pass"> {
  /** The person's, a real path. */
  readonly tasksRoot: string;
  /** The name of the task's folder. */
  readonly folder: string;
  /** The id of a task that is on its branch alone; null: as its brief says. */
  readonly task: string | null;
  /** What `openLocal` said a moment ago. */
  readonly work?: LocalWork;
  readonly merge?: LocalWork["merge"];
}

/**
 * One pass of a task of the person's own tasks root, in a clone of its own on the branch of the task. Their working tree,
 * index and HEAD are neither read as work nor written. Throws as `runClaimed`, TP_WORKSPACE, and TP_LOCKED.
 */
export async function runLocal(request: LocalRequest, ports: PassPorts): Promise<PassReport> {
  return await locally(request, ports, async (claim, own) => {
    const report = await runClaimed(claim, own);
    if (report.to !== "done" || claim.local === null) return report;
    // Once a person merges or squashes the branch, their folder is that of the task.
    const taskDir = join(request.tasksRoot, request.folder);
    const { clone } = claimPlace(cacheHome(ports.env, ports.home), claim.url, claim.task);
    handOnDelivered(join(clone, relative(claim.local.tree.top, taskDir)), taskDir, ports);
    return report;
  });
}

export interface BranchChange extends Pick<LocalRequest, "tasksRoot" | "folder" | "task" | "runner" | "merge"> {
  readonly config: string | null;
  /** The subject of its commit, behind the task's id. */
  readonly words: string;
}

/** A claim whose branch changes without one. */
const noPass = { repo: null, model: null, models: null, timeoutMs: null, dryRun: false, run: null } as const;

/**
 * Lets `act` change the task on its branch as a person would in the folder, and makes one commit of that. Throws as
 * `runLocal`, and if somebody else moved the branch meanwhile.
 */
export async function changeOnBranch<Value>(
  { config, words, ...request }: BranchChange,
  ports: PassPorts,
  act: (taskDir: string) => Promise<Value>,
): Promise<{ readonly value: Value; readonly findings: readonly Finding[] }> {
  return await locally({ ...request, pass: { ...noPass, config } }, ports, async (claim, own) =>
    inClone(claim, own, async ({ taskDir, repo, fence, findings }) => {
      const value = await act(taskDir);
      const { id, pass, signer } = stepOf(taskDir, repo, config, own);
      const message = own.redactor.redact(`task-phase: ${id} ${words}\n`);
      const refused = await fence.accept({ taskDir, repo, pass, message, signer, checked: null });
      if (refused !== null) throw new TaskPhaseError(refused.exitName, refused.findings);
      return { value, findings: [...findings, ...fence.told] };
    }),
  );
}

function stepOf(taskDir: string, repo: string, configFlag: string | null, ports: PassPorts) {
  const place = placeOf(taskDir);
  const { sign } = loadConfig({ ...ports, configFlag, taskDir });
  const pass = readHistory(readTaskJournal(place.journal)?.events ?? []).lastPass;
  return { id: readListed(taskDir)?.id ?? place.name, pass, signer: signerOf({ sign, repo, place }, ports) };
}

async function locally<Value>(
  request: LocalRequest,
  ports: PassPorts,
  act: (claim: ClaimRequest, ports: PassPorts) => Promise<Value>,
): Promise<Value> {
  const { tasksRoot, folder, runner, pass, onClaimed } = request;
  const place = { tasksRoot, folder, configFlag: pass.config, base: null };
  const local = { ...(request.work ?? (await openLocal(place, ports))), merge: request.merge ?? null };
  const lock = lockInRoot(placeIn(tasksRoot, folder));
  try {
    const task = request.task ?? idOf(request, ports);
    const asked = { url: local.tree.commonDir, task, root: null, runner, takeover: false, local };
    const own = { ...pass, config: local.config.path };
    const claim = { ...asked, ...(onClaimed && { onClaimed }), pass: own };
    const shown = shownPlaces(local, task, ports);
    return mapStrings(await act(claim, { ...ports, runtimeRoot: runtimeRootOf(tasksRoot, ports) }), shown);
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error instanceof HeldClaimError || machineFault(error) !== null)
      throw error;
    const task = readListed(join(tasksRoot, folder))?.id ?? folder;
    throw new TaskPhaseError(error.exitName, mapStrings(error.findings, shownPlaces(local, task, ports)), {
      cause: error,
    });
  } finally {
    lock.release();
  }
}

/** Where cooldowns, turns and reports of these passes are kept, instead of in the working tree. */
export function runtimeRootOf(tasksRoot: string, { env, home }: Pick<PassPorts, "env" | "home">): string {
  return workspaceOf(cacheHome(env, home), tasksRoot);
}

/**
 * The clone is gone when its messages are read: show a path in it as that of the working tree, which has a git of its own.
 * Not if the system refused it, as `(ENOSPC)`: the two may be on different disks.
 */
function shownPlaces({ tree }: LocalWork, task: string, { env, home }: PassPorts): (text: string) => string {
  const { clone } = claimPlace(cacheHome(env, home), tree.commonDir, task);
  return (text) =>
    /\(E[A-Z]+\)/.test(text)
      ? text
      : text.split(clone).reduce((all, rest) => `${all}${/^\/\.git(?![\w-])/.test(rest) ? clone : tree.top}${rest}`);
}

/** Throws what is wrong with the brief. */
function idOf({ tasksRoot, folder, pass }: LocalRequest, { env, home, cwd }: PassPorts): string {
  const taskDir = join(tasksRoot, folder);
  const listed = readListed(taskDir);
  if (listed !== null) return listed.id;
  const { defaults } = loadConfig({ configFlag: pass.config, env, home, cwd, taskDir });
  return readTaskFile(taskFiles.brief, taskDir, defaults).contract.id;
}

/** The task folder in which a pass of this machine works now; null: none does. */
export function findRunningFolder(tree: GitPlace, task: string, ports: Pick<PassPorts, "env" | "home">): string | null {
  const place = claimPlace(cacheHome(ports.env, ports.home), tree.commonDir, task);
  return isLocked(place.lock) ? (readNote(place.note)?.task_dir ?? null) : null;
}

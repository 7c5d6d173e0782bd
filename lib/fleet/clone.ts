import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gitError } from "../git/git-answer.ts";
import { type GitSettings, settingOf, writeSetting } from "../git/git-settings.ts";
import { giveObjects } from "../git/give-objects.ts";
import { copyShallow, networkVariables } from "../git/network.ts";
import { bareAt, findGitPlace, type GitPlace } from "../git/place.ts";
import { knownSettings } from "../git/plain-place.ts";
import { withoutCredentials } from "../git/push-target.ts";
import { startGit } from "../git/start-git.ts";
import { renderEnd } from "../git/swap-ref.ts";
import { leftGraceMs } from "../process/grace.ts";
import { endSurvivors } from "../process/survivors.ts";
import { exitOfAbort } from "../rules/exits.ts";
import { machineFault } from "../store/error-code.ts";
import { putFile } from "../store/put-file.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { anchorFolder } from "../task/records/anchor.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { clearRecords, readCurrent, readProcess } from "../task/records/records.ts";
import { stands } from "../task/records/task-place.ts";
import { diskError, TaskPhaseError } from "../text/errors.ts";
import { errorFinding } from "../text/finding.ts";
import { branchName } from "../text/ref-name.ts";
import type { ClaimContext } from "./claim-context.ts";
import { removeNote } from "./claim-note.ts";
import type { Mirror } from "./mirror.ts";
import { checkOutOver, type FilesNote, type FilesPlace, takeFiles, writingSettings } from "./saved-files.ts";

export interface WorkClone {
  readonly git: GitPlace;
  /** As they were before anything ran in it. */
  readonly settings: GitSettings;
}

/** `base`: what is checked out. `files`: what may be kept of that. */
export type NewClone = WorkClone & { readonly base: string; readonly files: FilesNote | null };

export interface CloneRequest {
  readonly folder: string;
  readonly mirror: Pick<Mirror, "place">;
  /** A folder of objects that it borrows too; missing: none. */
  readonly objects?: string;
  /** What its `origin` is to be; null: it has no remote, since one would lead back to the person's own repository. */
  readonly url: string | null;
  /** The branch, a full ref name, and the commit that it begins at. */
  readonly ref: string;
  /** Or what makes it, of the objects that the clone borrows. */
  readonly commit: string | ((git: GitPlace) => Promise<string>);
  /** Where git converts no line end: the `pathPrefix` of tasks in the repository; empty: nowhere. */
  readonly raw: string;
  /** Where the files of an earlier checkout may be used again; missing: nowhere. */
  readonly kept?: FilesPlace;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

const longestCheckoutMs = 1_800_000;

/**
 * Makes the working tree of a claimed pass, in the place of whatever is there: a repository of its own, so that what an
 * agent writes to its refs, hooks and settings ends with it, which borrows the objects of the mirror. Files are written
 * as by a person's `git checkout`, with the filters of the person's own settings. Throws TP_GIT, and TP_STOPPED.
 */
export async function makeClone(request: CloneRequest): Promise<NewClone> {
  const { folder, mirror, url, ref, commit, env, kept } = request;
  openPrivateFolder(dirname(folder));
  if (request.objects !== undefined) {
    giveKept(request.objects, mirror.place);
    openPrivateFolder(request.objects);
  }
  const known = await knownSettings(mirror.place, env);
  const settings = kept === undefined ? null : writingSettings(known, env);
  const keeps = kept === undefined || settings === null ? null : { place: kept, settings };
  const held = keeps === null ? null : await takeFiles(keeps);
  if (held === null) rmSync(folder, { recursive: true, force: true });
  const variables = networkVariables({ own: known.own, repo: [] }, env, mirror.place.gitDir);
  const git = async (cwd: string, args: readonly string[]): Promise<void> => {
    const call = { args, cwd, env: variables, timeoutMs: longestCheckoutMs, maxBytes: 1 << 20, signal: request.signal };
    const end = await startGit(call);
    if (end.exitCode === 0) return;
    if (request.signal.aborted) throw stoppedError(request.signal, "while the working tree was being made");
    const why = renderEnd({ ...end, stdout: "" });
    const fault = machineFault(gitError(bareAt(folder), args, end));
    throw fault ?? diskError("TP_GIT", `the working tree could not be made: ${why}`, { file: folder, fix: cloneFix });
  };
  const format = settingOf(known, "extensions.objectformat");
  await git(dirname(folder), ["init", "-q", "--template=", ...(format ? [`--object-format=${format}`] : []), folder]);
  const place = findGitPlace(folder);
  if (place === null) throw diskError("TP_GIT", "git init made no repository", { file: folder, fix: cloneFix });
  borrowObjects(place, mirror.place, request.objects);
  if (url !== null) await writeSetting(place, "remote.origin.url", withoutCredentials(url), env);
  openPrivateFolder(join(place.commonDir, "info"));
  putFile(join(place.commonDir, "info", "exclude"), stockExclude);
  // The chain of a journal holds for its bytes, whatever rules the repository or the person has.
  if (request.raw !== "") putFile(join(place.commonDir, "info", "attributes"), rawRule(request.raw));
  const base = typeof commit === "string" ? commit : await commit(place);
  const checkOut = async (...words: readonly string[]) =>
    await git(folder, ["checkout", "-q", ...words, "--no-track", "-B", branchName(ref), base]);
  const files = keeps === null ? await checkOut().then(() => null) : await checkOutOver(keeps, held, checkOut);
  // Nothing has run in it yet.
  if (request.objects !== undefined) giveObjects(join(place.commonDir, "objects"), request.objects);
  return { git: place, base, files, settings: await knownSettings(place, env, true) };
}

/** `when`: what it was doing, in words. Nobody waits for another runner then, and nothing is broken. */
export function stoppedError(signal: AbortSignal, when: string): TaskPhaseError {
  return new TaskPhaseError(exitOfAbort(signal), [errorFinding("TP_STOPPED", `stopped by a signal ${when}`)]);
}

/** A `git prune` that began before a ref moved may take what that names, also long after the call. Throws TP_DISK. */
export function giveKept(objects: string, { commonDir }: GitPlace): void {
  if (stands(objects)) giveObjects(objects, join(commonDir, "objects"));
}

/** A pattern in quotes has C escapes around those of the pattern itself. */
function rawRule(prefix: string): Buffer {
  const pattern = `/${prefix.replace(/[\\*?[\]]/g, "\\$&")}**`;
  return Buffer.from(`${JSON.stringify(pattern)} -text\n`, "latin1");
}

/** Like `git clone --shared`, and also copies the boundary of a shallow repository. */
function borrowObjects(clone: GitPlace, lender: GitPlace, objects: string | undefined): void {
  const info = join(clone.commonDir, "objects", "info");
  openPrivateFolder(info);
  writeFileSync(join(info, "alternates"), alternatesOf(lender) + (objects === undefined ? "" : lineOf(objects)));
  copyShallow(join(lender.commonDir, "shallow"), join(clone.commonDir, "shallow"));
}

/** What it begins with. */
export function alternatesOf({ commonDir }: Pick<GitPlace, "commonDir">): string {
  return lineOf(join(commonDir, "objects"));
}

/** Git reads a line that begins with a quote as one with C escapes, which those of JSON are for any path. */
function lineOf(folder: string): string {
  return `${JSON.stringify(folder)}\n`;
}

/**
 * What git's own template puts into `info/exclude`, unchanged since 2008: comments alone. An ordinary clone has this file,
 * and the fingerprint of the code covers it, so the clone of a pass must have the same.
 */
const stockExclude = `# git ls-files --others --exclude-from=.git/info/exclude
# Lines that start with '#' are comments.
# For a project mostly in C, the following would be a good set of
# exclude patterns (uncomment them if you want to use them):
# *.[oa]
# *~
`;

const cloneFix = "read what git says; the disk may be full, or a filter program of your git settings may be missing";

/**
 * The working tree is not needed for a pass any more; its objects wait for the next one, or for the sweep. `taskDir`: the
 * task in it, if it got so far. `lost`: the folder where it is kept, since nothing else has what was made in it.
 */
export async function dropClone(
  { place, ports }: ClaimContext,
  taskDir: string | null,
  lost: string | null = null,
): Promise<void> {
  const trees = [place.clone, place.pair];
  const kept = trees.find((folder) => stands(folder));
  if (lost !== null && kept !== undefined) {
    openPrivateFolder(dirname(lost));
    const git = taskDir !== null && stands(place.objects) ? findGitPlace(taskDir) : null;
    if (git !== null) giveObjects(place.objects, join(git.commonDir, "objects"));
    renameSync(kept, lost);
  }
  for (const folder of trees) rmSync(folder, { recursive: true, force: true });
  if (taskDir !== null) await forgetPass(taskDir, ports);
  removeNote(place.note);
}

/**
 * The runner's record of a pass says what the task folder has to be, and a folder that was made anew at the same path is
 * another one: it would be put back to what it was, and what others did since would be gone. Processes of that pass are
 * ended.
 */
export async function forgetPass(taskDir: string, ports: PassPorts): Promise<void> {
  const folder = anchorFolder(taskDir, ports);
  if (!stands(folder)) return;
  const current = readCurrent(folder);
  if (current !== null) await endSurvivors(current.mark, readProcess(folder), leftGraceMs);
  clearRecords({ folder });
}

import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import path from "node:path";
import type { BriefData } from "../../documents/templates/render-task-files.ts";
import { errorCode, storeError } from "../../store/error-code.ts";
import { makeFolder, syncFolder } from "../../store/folder.ts";
import { tryLock } from "../../store/lock.ts";
import { createFile } from "../../store/put-file.ts";
import { removeEntry } from "../../store/replace-entry.ts";
import { listFolder } from "../../store/walk.ts";
import { hasCode, lockedError, TaskPhaseError } from "../../text/errors.ts";
import { errorFinding, type Finding, type FindingPlace, infoFinding } from "../../text/finding.ts";
import { shorten } from "../../text/shorten.ts";
import { applyInit, type Written } from "../init/apply.ts";
import type { InitPlan, InitRequest } from "../init/plan-init.ts";
import { entryKind } from "../init/usable-entry.ts";
import { folderName, freeName, slugOfTitle } from "./folder-names.ts";
import { idTaken, isOwnTask, type KnownTask } from "./judge-stories.ts";
import { makeTaskFiles, type TaskText } from "./make-task-files.ts";

const half = /^import-[0-9a-f]{16}$/;

/**
 * Makes the planned folders, each whole at once: it is written under `.task-phase/locks/`, which neither git nor a pass
 * looks into, and then moved to its place. A call that was cut short leaves whole folders, and the next one makes the
 * others. `announce` is called with each folder before it appears. Throws a locked error if another call makes
 * folders in this tasks root.
 */
export function writeTasks(tasksRoot: string, tasks: readonly PlannedTask[], announce: (folder: string) => void): void {
  const locks = openLocks(tasksRoot);
  const lock = tryLock(path.join(locks, lockName));
  if (lock === null) throw locked("another init or import is running in this tasks root", tasksRoot);
  try {
    removeHalfMade(locks);
    for (const { id, folder, files } of tasks)
      if (files !== null) makeWhole({ id, files }, folder, locks, () => announce(folder));
  } finally {
    lock.release();
  }
}

/** As `writeTasks`, for the one folder of `init`, which several calls may make at once. */
export function writeTask(plan: InitPlan, folder: string): Written {
  const locks = openLocks(path.dirname(folder));
  const alone = tryLock(path.join(locks, lockName));
  if (alone !== null) removeHalfMade(locks);
  alone?.release();
  const shared = tryLock(path.join(locks, lockName), "shared");
  if (shared === null) throw locked("an import is running in this tasks root", path.dirname(folder));
  try {
    return makeWhole(plan, folder, locks, () => undefined);
  } catch (error) {
    if (!hasCode(error, "TP_LOCKED")) throw error;
    // Another call made it first, and what that made is kept.
    return applyInit(plan, folder);
  } finally {
    shared.release();
  }
}

const lockName = ".import.lock";

function openLocks(tasksRoot: string): string {
  const locks = path.join(tasksRoot, ".task-phase", "locks");
  makeFolder(locks);
  // Locks mean nothing in another checkout.
  createFile(path.join(locks, ".gitignore"), "*\n");
  return locks;
}

function makeWhole(plan: InitPlan, folder: string, locks: string, announce: () => void): Written {
  const scratch = path.join(locks, `import-${randomBytes(8).toString("hex")}`);
  try {
    const written = applyInit(plan, scratch);
    announce();
    moveInPlace(scratch, folder);
    return written;
  } catch (error) {
    removeEntry(Buffer.from(scratch));
    throw error;
  }
}

function moveInPlace(from: string, to: string): void {
  try {
    renameSync(from, to);
    syncFolder(path.dirname(to));
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errorCode(error)))
      throw locked("something appeared in place of a task folder while it was made", to);
    throw storeError("make the folder", to, error);
  }
}

/** Leftovers of a killed call. */
function removeHalfMade(locks: string): void {
  for (const { name } of listFolder(Buffer.from(locks))) {
    if (half.test(name.toString())) removeEntry(Buffer.from(path.join(locks, name.toString())));
  }
}

function locked(message: string, file: string): TaskPhaseError {
  return lockedError("TP_LOCKED", message, { file, fix: "run it again" });
}

/** The options of a person besides the file. Null and empty: not given. */
export interface ImportRequest {
  /** Absolute; it need not be there. */
  readonly tasksRoot: string;
  /** The file, as messages name it. */
  readonly from: string;
  /** Absolute, without links. */
  readonly real: string;
  /** Absolute. */
  readonly repo: string | null;
  /** `name=command line`. */
  readonly validators: readonly string[];
  /** Commands of the repo's own, for tasks that neither the person nor the file gives any. */
  readonly found?: NonNullable<InitRequest["found"]>;
  readonly now: Date;
  readonly known: readonly KnownTask[];
}

export interface ImportPlan {
  readonly tasks: readonly PlannedTask[];
  /** The tasks have the repo's own checks: neither the person nor the file gave any. */
  readonly usesFound: boolean;
  readonly findings: readonly Finding[];
}

interface PlannedTask {
  readonly id: string;
  /** Absolute. */
  readonly folder: string;
  /** Null: it is there and is kept. */
  readonly files: InitPlan["files"] | null;
}

interface WantedTask extends Pick<BriefData, "id" | "title" | "priority" | "dependsOn"> {
  /** A part of the body that shows whether a task that is there still wants the same. */
  readonly wish: string;
  readonly place: FindingPlace;
  readonly text: TaskText;
}

/** A folder for each that is not there yet. Throws with all that is wrong; nothing is written. */
export function planTasks(
  request: ImportRequest,
  validators: readonly string[],
  wanted: readonly WantedTask[],
): ImportPlan {
  const problems: Finding[] = [];
  const findings: Finding[] = [];
  const tasks: PlannedTask[] = [];
  const taken = new Set(request.known.map((task) => path.basename(task.folder).toLowerCase()));
  const { repo, now, found } = request;
  const given = { repo, now, validators, userFacing: false, withTasks: false };
  const asked = validators.length === 0 && found !== undefined ? { ...given, found } : given;
  for (const want of wanted) {
    // An id that was made from the title says it already.
    const name = folderName(want.id, want.id === slugOfTitle(want.title) ? "" : want.title);
    const own = request.known.find((task) => task.id === want.id);
    if (own !== undefined) {
      if (!isOwnTask(own, name)) problems.push(idTaken(own, name, want.place));
      if (!own.body.includes(want.wish)) findings.push(differs(want, own));
      tasks.push({ id: want.id, folder: own.folder, files: null });
      continue;
    }
    const free = freeName(name, (tried) => taken.has(tried));
    taken.add(free.toLowerCase());
    const folder = path.join(request.tasksRoot, free);
    if (entryKind(folder) !== "missing") problems.push(inTheWay(want, folder));
    const { id, title, priority, dependsOn, text } = want;
    const made = makeTaskFiles({ ...asked, id, title, priority, dependsOn, taskDir: folder }, text);
    if (made.kind === "files") tasks.push({ id, folder, files: made.files });
    else problems.push(...made.findings.map((finding) => unfit(want, finding)));
  }
  if (problems.length > 0)
    throw new TaskPhaseError(problems.some(({ code }) => code === "TP_IMPORT_UNFIT") ? "data" : "config", problems);
  return { tasks, usesFound: validators.length === 0, findings };
}

function differs(want: WantedTask, task: KnownTask): Finding {
  const message = `${shorten(want.id)} already exists and was kept, but its brief differs from the file`;
  return infoFinding("TP_IMPORT_DIFFERS", message, {
    file: path.join(task.folder, "README.md"),
    fix: "change the brief by hand if the file is right",
  });
}

function inTheWay(want: WantedTask, folder: string): Finding {
  const message = `the folder of ${shorten(want.id)} cannot be created: something in its place is not a readable task`;
  return errorFinding("TP_IMPORT_IN_THE_WAY", message, { file: folder, fix: "move it away and run import again" });
}

function unfit(want: WantedTask, finding: Finding): Finding {
  const message = `${shorten(want.id)} cannot become a task: ${finding.message}`;
  return errorFinding("TP_IMPORT_UNFIT", message, { ...want.place, fix: finding.fix });
}

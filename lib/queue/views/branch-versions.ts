import { taskFiles } from "../../documents/read-task-file.ts";
import { isFile } from "../../git/list-tree.ts";
import type { GitObjects } from "../../git/objects.ts";
import type { Branch, TaskBranch } from "../../git/task-branches.ts";
import { readListedBytes } from "../../task/list-tasks.ts";
import { maxJournalBytes } from "../../task/records/task-journal.ts";
import { addTo } from "../../text/add-to.ts";
import { configError, dataError, TaskPhaseError } from "../../text/errors.ts";
import { shorten } from "../../text/shorten.ts";
import { type FolderFiles, isTaskFolder, type Trees } from "./branch-trees.ts";

export interface TaskVersion {
  readonly branch: Branch;
  /** Name of the folder, its bytes as latin1. */
  readonly name: string;
  readonly files: FolderFiles;
}

export interface FoundTask {
  /** Of its own branch; null for a task that is on the base branch alone. */
  readonly id: string | null;
  readonly version: TaskVersion | TaskPhaseError;
  /** What the base branch has of it; null: nothing. */
  readonly base: TaskVersion | null;
  /** The base branch has all that was accepted on its own; null without a branch of its own. */
  readonly merged: boolean | null;
}

/**
 * Every task of the base branch and of the branches of tasks, and which version of each counts: the one whose journal
 * continues all others, that of its own branch before that of the base branch if they are the same. `isHere`: whether
 * the commit of a branch is in the repository.
 */
export async function findTasks(
  trees: Trees,
  base: Branch | null,
  branches: readonly TaskBranch[],
  isHere: (branch: TaskBranch) => boolean,
  read: GitObjects["read"],
): Promise<FoundTask[]> {
  const idOf = readIds(read);
  const journals = readJournals(read);
  const known = new Map<string, string[]>();
  for (const [name, files] of trees.inherited) {
    const id = isTaskFolder(files) ? await idOf(files) : null;
    if (id !== null) addTo(known, id, name);
  }
  const taken = new Set<string>();
  const found: FoundTask[] = [];
  for (const [id, own] of groupById(branches)) {
    const inBase = base === null ? null : findInBase(trees, base, known.get(id) ?? []);
    if (inBase !== null) taken.add(inBase.name);
    try {
      const versions: TaskVersion[] = [];
      const missing = own.find((branch) => !isHere(branch));
      if (missing !== undefined) throw notHere(missing);
      for (const branch of own) versions.push(await findFolder(trees, known.get(id) ?? [], branch, idOf));
      const version = await chooseNewest(id, inBase === null ? versions : [...versions, inBase], journals);
      found.push({
        id,
        version,
        base: inBase,
        merged: inBase !== null && (await holdsAll(inBase, versions, journals)),
      });
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
      found.push({ id, version: error, base: inBase, merged: false });
    }
  }
  if (base === null) return found;
  for (const [name, files] of trees.base) {
    if (taken.has(name) || !isTaskFolder(files)) continue;
    const version = { branch: base, name, files };
    found.push({ id: null, version, base: version, merged: null });
  }
  return found;
}

function notHere({ ref }: TaskBranch): TaskPhaseError {
  const message = `the commit of ${shorten(ref, 120)} is not in this repository`;
  return dataError("TP_GIT_OBJECT", message, { fix: "fetch again; git fsck says what is missing" });
}

function groupById(branches: readonly TaskBranch[]): Map<string, TaskBranch[]> {
  const groups = new Map<string, TaskBranch[]>();
  for (const branch of branches) addTo(groups, branch.id, branch);
  return groups;
}

/** Null also if several folders there have the id, which is said of each of them. */
function findInBase({ base: folders }: Trees, branch: Branch, names: readonly string[]): TaskVersion | null {
  const [name, ...others] = names;
  const files = name === undefined ? undefined : folders.get(name);
  return name === undefined || files === undefined || others.length > 0 ? null : { branch, name, files };
}

type IdOf = (files: FolderFiles) => Promise<string | null>;

/** The folder of a branch whose brief has the id of the branch. Throws a config error if it is not exactly one. */
async function findFolder(
  { inherited, changed }: Trees,
  known: readonly string[],
  branch: TaskBranch,
  idOf: IdOf,
): Promise<TaskVersion> {
  const own = changed.get(branch.commit);
  const fitting: TaskVersion[] = [];
  for (const name of new Set([...known, ...(own?.keys() ?? [])])) {
    const files = own?.get(name) ?? inherited.get(name);
    if (files === undefined || !isTaskFolder(files) || (await idOf(files)) !== branch.id) continue;
    fitting.push({ branch, name, files });
  }
  const [only, ...others] = fitting;
  if (only !== undefined && others.length === 0) return only;
  const is = only === undefined ? "no task folder with a readable brief has" : `${fitting.length} task folders have`;
  const fix =
    "a branch of a task holds the task folder whose `id` is the last part of its name; rename one that is of no task";
  throw configError("TP_TASK_BRANCH", `${is} the id ${shorten(branch.id)} on ${shorten(branch.ref, 120)}`, { fix });
}

/** By the name of the blob, since most branches have most briefs in common. */
function readIds(read: GitObjects["read"]): IdOf {
  const seen = new Map<string, string | null>();
  return async (files) => {
    const entry = files.get("README.md");
    if (entry === undefined || !isFile(entry)) return null;
    const known = seen.get(entry.oid);
    if (known !== undefined) return known;
    const object = await read(entry.oid, taskFiles.brief.maxBytes);
    const id = object.kind === "blob" ? (readListedBytes(object.bytes, "", "README.md")?.id ?? null) : null;
    seen.set(entry.oid, id);
    return id;
  };
}

/** The bytes of a version's journal; empty without one; null if it is not a file, too large or not here. */
type Journals = (version: TaskVersion) => Promise<Buffer | null>;

const noBytes = Buffer.alloc(0);

function readJournals(read: GitObjects["read"]): Journals {
  return async ({ files }) => {
    const entry = files.get("artifacts/journal.jsonl");
    if (entry === undefined) return noBytes;
    const object = isFile(entry) ? await read(entry.oid, maxJournalBytes) : null;
    return object?.kind === "blob" ? object.bytes : null;
  };
}

/** Throws a data error if two of them do not continue from each other, since either could be true. */
async function chooseNewest(id: string, versions: readonly TaskVersion[], journals: Journals): Promise<TaskVersion> {
  const [first, ...others] = versions;
  if (first === undefined) throw new Error(`the task ${id} has no version`);
  let newest = first;
  for (const version of others) {
    if (await continuesFrom(newest, version, journals)) continue;
    if (!(await continuesFrom(version, newest, journals))) {
      const [one, other] = [newest, version].map(({ branch }) => shorten(branch.ref, 120));
      const message = `the journals of ${shorten(id)} on ${one} and on ${other} do not continue from each other`;
      const fix =
        "find out which was pushed by force or edited, and restore the other; only task-phase writes journals";
      throw dataError("TP_TASK_FORKED", message, { fix });
    }
    newest = version;
  }
  return newest;
}

/** A journal that cannot be read is chosen rather than passed over, so that reading the task reports the problem. */
async function continuesFrom(newer: TaskVersion, older: TaskVersion, journals: Journals): Promise<boolean> {
  if (oidOf(newer) === oidOf(older)) return true;
  const [whole, start] = [await journals(newer), await journals(older)];
  return whole === null || start === null || whole.subarray(0, start.length).equals(start);
}

async function holdsAll(base: TaskVersion, versions: readonly TaskVersion[], journals: Journals): Promise<boolean> {
  for (const version of versions) {
    if (oidOf(base) === oidOf(version)) continue;
    const [whole, start] = [await journals(base), await journals(version)];
    if (whole === null || start === null || !whole.subarray(0, start.length).equals(start)) return false;
  }
  return true;
}

function oidOf({ files }: TaskVersion): string | null {
  const entry = files.get("artifacts/journal.jsonl");
  return entry === undefined ? null : `${entry.mode} ${entry.oid}`;
}

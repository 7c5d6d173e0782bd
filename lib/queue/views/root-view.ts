import { join, relative, sep } from "node:path";
import { type LoadedConfig, loadConfig } from "../../documents/config/load-config.ts";
import { isFile } from "../../git/list-tree.ts";
import type { GitObjects } from "../../git/objects.ts";
import { findGitPlace, type GitPlace } from "../../git/place.ts";
import {
  findBase,
  listMerged,
  listTaskBranches,
  localRefs,
  readRefs,
  type TaskBranch,
  usualTaskRef,
} from "../../git/task-branches.ts";
import { seeTask } from "../../pass/budget/root-usage.ts";
import type { TaskEvent } from "../../rules/events.ts";
import { readUsage, type TaskUsage } from "../../rules/usage.ts";
import { pathPrefix } from "../../store/path-key.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { cacheHome } from "../../store/state-home.ts";
import { listTaskFolders } from "../../task/guarded-paths.ts";
import { listTasks } from "../../task/list-tasks.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { countEvents, maxJournalBytes, parseTaskJournal, readTaskJournal } from "../../task/records/task-journal.ts";
import { placeIn } from "../../task/records/task-place.ts";
import { orIfForeseen } from "../../text/attempt.ts";
import { dataError, TaskPhaseError } from "../../text/errors.ts";
import { branchName } from "../../text/ref-name.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { shorten } from "../../text/shorten.ts";
import type { Row } from "../listing/list-root.ts";
import { withReader } from "./branch-reader.ts";
import { failedRow, readBranchRow } from "./branch-rows.ts";
import { readTrees, type Trees } from "./branch-trees.ts";
import { findTasks, type TaskVersion } from "./branch-versions.ts";
import { hasLanded } from "./has-landed.ts";
import { mayBeAhead } from "./may-be-ahead.ts";
import { takenPlace } from "./taken-words.ts";

/** A task whose branch is ahead of its folder in the working tree, or as new and not landed. */
export interface AheadTask {
  readonly id: string;
  /** A full name. */
  readonly ref: string;
  readonly commit: string;
  /** The path of the task folder in that commit, from the top. */
  readonly path: string;
  /** It is done, and the branch that tasks land in has all of it. */
  readonly isIn: boolean;
  /** Without what a person says in the working tree: `withWords` puts that in. */
  readonly row: Row;
  readonly events: readonly TaskEvent[];
  /** What of these words it has: as `takenPlace`. */
  readonly note: string;
}

/** By the name of the folder. */
export type RootView = ReadonlyMap<string, AheadTask>;

type ViewPorts = Pick<PassPorts, "env" | "home" | "cwd">;

const nothing: RootView = new Map();
const journalName = "artifacts/journal.jsonl";

/**
 * Which tasks of a root are newer on their branch of this repository than in their folder, and as what; a folder that
 * somebody took from a branch that has not landed is no newer than that. No program is started where no task can have a
 * branch. `known`: an earlier view, whose tasks count as long as their branch stays. `every`: whatever is in the folders.
 */
export async function readView(
  tasksRoot: string,
  configFlag: string | null,
  ports: ViewPorts,
  known: RootView = nothing,
  every = false,
): Promise<RootView> {
  const { env, home, cwd } = ports;
  if (!mayBeAhead(tasksRoot, { configFlag, env, home, cwd })) return nothing;
  const place = findGitPlace(tasksRoot);
  const config = place === null ? null : configOf(tasksRoot, configFlag, ports);
  if (place === null || config === null) return nothing;
  const pattern = config.fleet?.ref ?? usualTaskRef;
  const refs = localRefs(await readRefs(place, env));
  const branches = listTaskBranches(refs, pattern);
  if (branches.length === 0) return nothing;
  const { view, moved } = splitKnown(tasksRoot, branches, known);
  if (moved.length === 0) return view;
  const base = findBase({ ...refs, links: new Map() }, config.fleet?.base ?? null, pattern);
  let merged: Promise<ReadonlySet<string>> | null = null;
  const mergedIn = async (target: string) => {
    merged ??= listMerged(place, target, env);
    return await merged;
  };
  return await withReader(place, env, async (read, temporary) => {
    // Most have not landed, and no program is started for each. A name is one line of what git is asked.
    const mayBeIn = async ({ ref, path }: Branch, target: string) =>
      path.includes("\n") ||
      (await read(`${target}:${path}/${journalName}`, 0)).kind !== "missing" ||
      (await mergedIn(target)).has(ref);
    const isIn = async (task: Branch) =>
      base === null || ((await mayBeIn(task, base.commit)) && (await hasLanded(place, task, base.commit, env)));
    const counts = async (task: Branch) => every || (task.ref !== refs.head && !(await isIn(task)));
    return await readBranches({ place, tasksRoot, config, view, moved, temporary, isIn, counts }, read, ports);
  });
}

/** What an earlier view says of branches that stayed, and those that did not. */
function splitKnown(tasksRoot: string, branches: readonly TaskBranch[], known: RootView) {
  const same = new Map([...known].map(([name, task]) => [`${task.ref} ${task.commit}`, { name, task }]));
  const view = new Map<string, AheadTask>();
  const moved: TaskBranch[] = [];
  for (const branch of branches) {
    const seen = same.get(`${branch.ref} ${branch.commit}`);
    if (seen !== undefined && isAhead(seen.task.events.length, tasksRoot, seen.name)) view.set(seen.name, seen.task);
    else moved.push(branch);
  }
  return { view, moved };
}

/** The readers of the tasks report what is wrong with it. */
function configOf(tasksRoot: string, configFlag: string | null, { env, home, cwd }: ViewPorts): LoadedConfig | null {
  return orIfForeseen(() => loadConfig({ configFlag, env, home, cwd, taskDir: join(tasksRoot, "any") }), null);
}

interface Looked {
  readonly place: GitPlace;
  readonly tasksRoot: string;
  readonly config: LoadedConfig;
  /** Gets what is found. */
  readonly view: Map<string, AheadTask>;
  readonly moved: readonly TaskBranch[];
  readonly temporary: string;
  /** Whether the branch that tasks land in has all of it. */
  isIn(task: Branch): Promise<boolean>;
  /** Whether a branch that is no newer than its folder counts too. */
  counts(task: Branch): Promise<boolean>;
}

type Branch = Pick<AheadTask, "ref" | "commit" | "path">;

async function readBranches(
  { place, tasksRoot, config, view, moved, temporary, isIn, counts }: Looked,
  read: GitObjects["read"],
  { env, home }: ViewPorts,
): Promise<RootView> {
  const here = new Map(listTasks(tasksRoot).map(({ id, folder }) => [id, folder.slice(tasksRoot.length + 1)]));
  const within = relative(place.top, tasksRoot).split(sep).join("/");
  const prefix = pathPrefix(within);
  const trees: Trees = await readTrees(place, prefix, null, moved, env);
  for (const found of await findTasks(trees, null, moved, () => true, read)) {
    const branch = moved.find(({ id }) => id === found.id);
    if (branch === undefined) continue;
    const { id, ref, commit } = branch;
    const at = { id, ref, commit, note: takenPlace(cacheHome(env, home), place.commonDir, id) };
    const { version } = found;
    if (version instanceof TaskPhaseError) {
      // A branch that only has such a name belongs to no task.
      const name = here.get(branch.id);
      if (name !== undefined)
        view.set(name, { ...at, path: `${within}/${name}`, isIn: false, row: failedRow(name, version), events: [] });
      continue;
    }
    const own = Buffer.from(version.name, "latin1").toString("utf8");
    const name = here.get(branch.id) ?? own;
    const path = within === "" ? own : `${within}/${own}`;
    const request = { name, version, tasksRoot, temporary, config, counts: async () => await counts({ ...at, path }) };
    const task = await readAhead(request, read);
    if (task === null) continue;
    const isDone = task.row.kind === "read" && task.row.files.phase === "done";
    view.set(name, { ...at, ...task, path, isIn: isDone && (await isIn({ ...at, path })) });
  }
  return view;
}

function isAhead(events: number, tasksRoot: string, name: string): boolean {
  return events > countEvents({ journal: join(tasksRoot, name, "artifacts", "journal.jsonl") });
}

interface AheadRequest extends Pick<Looked, "tasksRoot" | "temporary" | "config"> {
  readonly name: string;
  readonly version: TaskVersion;
  counts(): Promise<boolean>;
}

/** Null: its folder is as new, and the branch does not count. A journal that neither continues nor is continued is a row that says so. */
async function readAhead(
  { name, version, tasksRoot, temporary, config, counts }: AheadRequest,
  read: GitObjects["read"],
): Promise<Pick<AheadTask, "row" | "events"> | null> {
  const entry = version.files.get(journalName);
  const object = entry === undefined || !isFile(entry) ? null : await read(entry.oid, maxJournalBytes);
  if (object?.kind !== "blob") return null;
  const path = join(tasksRoot, name, "artifacts", "journal.jsonl");
  const there = readRegularFile(path, maxJournalBytes);
  const own = there.kind === "file" ? there.bytes : Buffer.alloc(0);
  if (own.subarray(0, object.bytes.length).equals(object.bytes)) {
    if (!(await counts())) return null;
  } else if (!object.bytes.subarray(0, own.length).equals(own))
    return { row: failedRow(name, forked(version, tasksRoot, path)), events: [] };
  const { row } = await readBranchRow(join(temporary, name), version, config.defaults, read);
  return { row: withoutFiles(row), events: parseTaskJournal(object.bytes, path).events };
}

/** Its folder in the working tree, if it has one, has older files than these: no link is to lead there. */
function withoutFiles(row: Row): Row {
  if (row.kind !== "read") return row;
  const none = { hasPage: false, hasState: false, hasEvidence: false, hasDecisions: false };
  return { ...row, files: { ...row.files, ...none } };
}

function forked({ branch, name: own }: TaskVersion, tasksRoot: string, journal: string): TaskPhaseError {
  const name = branchName(branch.ref);
  const folder = join(tasksRoot, Buffer.from(own, "latin1").toString("utf8"));
  const message = `the task went on here and on ${shorten(name, 60)}, and neither continues the other`;
  const [one, other] = [quoteWord(name), quoteWord(folder)];
  const fix = `keep one: git checkout ${one} -- ${other} takes the branch's, and git branch -D ${one} drops it`;
  return dataError("TP_TASK_FORKED", message, { file: journal, fix });
}

/** The events of a task where it is newest; of its folder if its branch cannot be read. Throws as `readTaskJournal`. */
export function newestEvents(view: RootView | undefined, name: string, journal: string): readonly TaskEvent[] {
  const ahead = view?.get(name)?.events ?? [];
  return ahead.length > 0 ? ahead : (readTaskJournal(journal)?.events ?? []);
}

/** What the other tasks of a root have used, each where it is newest. */
export function usageBeside(tasksRoot: string, name: string, view: RootView): TaskUsage[] {
  const folders = listTaskFolders(tasksRoot).map((folder) => folder.slice(tasksRoot.length + 1));
  const names = [...new Set([...folders, ...view.keys()])].filter((each) => each !== name);
  return names.map((each) => {
    const ahead = view.get(each)?.events ?? [];
    return ahead.length > 0 ? readUsage(ahead) : seeTask(placeIn(tasksRoot, each).journal).usage;
  });
}

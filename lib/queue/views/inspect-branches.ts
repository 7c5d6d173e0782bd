import { join } from "node:path";
import type { LoadedConfig } from "../../documents/config/load-config.ts";
import { isFile, shownName } from "../../git/list-tree.ts";
import type { GitObjects } from "../../git/objects.ts";
import { findCommits } from "../../git/revision.ts";
import type { TaskBranch } from "../../git/task-branches.ts";
import { readHistory } from "../../rules/add-event.ts";
import type { OpenClaim } from "../../rules/claim.ts";
import type { Moved } from "../../rules/standing-facts.ts";
import { maxJournalBytes, parseTaskJournal } from "../../task/records/task-journal.ts";
import { orIfForeseen } from "../../text/attempt.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { shorten } from "../../text/shorten.ts";
import { emptyList } from "../listing/list-root.ts";
import { type LayoutRequest, readLayout } from "./branch-layout.ts";
import { withReader } from "./branch-reader.ts";
import { failedRow, readBranchRow } from "./branch-rows.ts";
import { readTrees } from "./branch-trees.ts";
import { type FoundTask, findTasks, type TaskVersion } from "./branch-versions.ts";
import { relocator, shortRef, withClaim, withSameRefs, withUnmerged } from "./branch-words.ts";
import { inspectRows } from "./inspect-rows.ts";
import { type InspectedTask, type InspectPorts, withFacts } from "./inspect-task.ts";
import { findMovedOnBranch } from "./moved-on-branch.ts";
import type { AheadTask } from "./root-view.ts";

export interface ReadAt extends Pick<AheadTask, "ref" | "commit" | "path"> {
  /** The base branch has all that was accepted; null if the task has no branch of its own. */
  readonly merged: boolean | null;
}

/** A task as a commit has it. Its `place` is nowhere on the disk. */
export interface BranchTask extends InspectedTask {
  /** Null if there is no one commit that says it. */
  readonly readAt: ReadAt | null;
  readonly claim: OpenClaim | null;
  readonly seq: number;
}

/** The tasks are in the order of the names of their folders, and the branches those whose commits are here. */
export type InspectedBranches = Awaited<ReturnType<typeof inspectIn>>;

export type BranchesRequest = Omit<LayoutRequest, "temporary">;

/**
 * Every task of a repository, bare or not, from its commits: each from its own branch, and from the base branch what has
 * none. Nothing is checked out, locked or kept, and nothing that the repository names is run. Throws TP_GIT, a usage
 * error if there is no task folder, and a config error if the base branch or its task-phase.yaml is wrong.
 */
export async function inspectBranches(request: BranchesRequest, ports: InspectPorts): Promise<InspectedBranches> {
  return await withReader(request.place, ports.env, (read, temporary) =>
    inspectIn({ ...request, temporary }, read, ports),
  );
}

async function inspectIn(request: LayoutRequest, read: GitObjects["read"], ports: InspectPorts) {
  const { place } = request;
  const { env } = ports;
  const { base, branches, prefix, config, tasksRoot } = await readLayout(request, read, ports);
  const shownPrefix = shownName(prefix);
  const here = await findCommits(place, [...new Set(branches.map(({ commit }) => commit))], env);
  const isHere = ({ commit }: TaskBranch) => here.has(commit);
  const trees = await readTrees(place, prefix, base, branches.filter(isHere), env);
  const found = await findTasks(trees, base, branches, isHere, read);

  const list = emptyList(tasksRoot);
  const places = new Map<string, { readonly at: ReadAt; readonly claim: OpenClaim | null; readonly seq: number }>();
  const origins = new Map<string, string>();
  const met = new Set<string>();
  const moved = new Map<string, Moved>();
  const isTasks = tasksIn(shownPrefix, found);
  for (const [name, task] of nameFolders(found)) {
    if (task.version instanceof TaskPhaseError) {
      list.rows.push(failedRow(name, task.version));
      continue;
    }
    const folder = join(tasksRoot, name);
    const { branch, name: own } = task.version;
    const path = `${shownPrefix}${shownName(own)}`;
    const { row, claim, seq } = await readBranchRow(folder, task.version, config.defaults, read);
    list.rows.push(row);
    origins.set(folder, `${shortRef(branch.ref)}:${path}`);
    places.set(folder, { at: { ref: branch.ref, commit: branch.commit, path, merged: task.merged }, claim, seq });
    // On the base branch the code goes on with other tasks.
    if (row.kind === "read" && branch.ref !== base?.ref && (config.fleet?.code ?? null) === null) {
      const since = await findMovedOnBranch(place, { tip: branch.commit, path, ...row.files }, isTasks, read, env);
      if (since !== null) moved.set(folder, since);
    }
    if (row.kind === "read" && (await isMet(task, row.files.history.phase === "done", config, read))) met.add(folder);
  }
  const relocate = relocator(tasksRoot, origins);
  const tasks = [...inspectRows(list, config, ports, (folder) => met.has(folder))].map((task): BranchTask => {
    const { at = null, claim = null, seq = 0 } = places.get(task.place.taskDir) ?? {};
    const since = moved.get(task.place.taskDir);
    const known = since === undefined ? task : withFacts(task, { moved: since });
    return relocate({ ...withClaim(known, claim, ports.now()), readAt: at, claim, seq });
  });
  return {
    base,
    branches: branches.filter(isHere),
    prefix,
    tasks: withSameRefs(tasks.map((task) => withUnmerged(task, tasks, base))),
    config,
  };
}

/** Whether a path is no code: in the tasks root, or if that is the top of the repository, in a task folder. */
function tasksIn(prefix: string, found: readonly FoundTask[]): (path: string) => boolean {
  if (prefix !== "") return (path) => path.startsWith(prefix);
  const names = found.flatMap(({ version, base }) =>
    [version, base].flatMap((each) => (each === null || each instanceof TaskPhaseError ? [] : shownName(each.name))),
  );
  const folders = new Set([...names, ".task-phase"]);
  return (path) => folders.has(path.split("/", 1)[0] ?? "");
}

/** Whether a task that others depend on counts: by its own journal, or with `after: merged` by that of the base branch. */
async function isMet(
  { version, base }: FoundTask,
  isDone: boolean,
  { fleet }: LoadedConfig,
  read: GitObjects["read"],
): Promise<boolean> {
  if (fleet?.after !== "merged" || version instanceof TaskPhaseError) return isDone;
  if (base === null) return false;
  const [own, merged] = [journalOf(version), journalOf(base)];
  if (merged === null || own?.oid === merged.oid) return isDone && merged !== null;
  const object = await read(merged.oid, maxJournalBytes);
  if (object.kind !== "blob") return false;
  return orIfForeseen(
    () => readHistory(parseTaskJournal(object.bytes, "artifacts/journal.jsonl").events).phase === "done",
    false,
  );
}

function journalOf({ files }: TaskVersion) {
  const entry = files.get("artifacts/journal.jsonl");
  return entry === undefined || !isFile(entry) ? null : entry;
}

/** Each task by a name for its folder that no other one has, also where upper and lower case are the same; in order. */
function nameFolders(found: readonly FoundTask[]): [name: string, task: FoundTask][] {
  const taken = new Set<string>();
  const named = found.map((task): [string, FoundTask] => {
    const wanted = task.version instanceof TaskPhaseError ? (task.id ?? "") : shownName(task.version.name);
    const short = Buffer.byteLength(wanted) > 200 ? shorten(wanted, 40) : wanted;
    let name = short;
    for (let more = 2; taken.has(name.toLowerCase()); more++) name = `${short} (${more})`;
    taken.add(name.toLowerCase());
    return [name, task];
  });
  return named.sort(([one], [other]) => (one < other ? -1 : 1));
}

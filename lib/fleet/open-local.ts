import { basename, join, relative } from "node:path";
import { goesBack } from "../git/log.ts";
import { makeCommit, mergeTrees } from "../git/merge.ts";
import type { GitPlace } from "../git/place.ts";
import { taskRefOf } from "../git/task-branches.ts";
import { hasLanded } from "../queue/views/has-landed.ts";
import type { AheadTask } from "../queue/views/root-view.ts";
import { doubtControl, readTaken, type Taken, writeTaken } from "../queue/views/taken-words.ts";
import { readHistory } from "../rules/add-event.ts";
import { controlFile } from "../rules/guarded-files.ts";
import { readText } from "../store/read-file.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { listTasks, readListed } from "../task/list-tasks.ts";
import { emptyJournal, maxJournalBytes, readTaskJournal } from "../task/records/task-journal.ts";
import { placeOf, stands } from "../task/records/task-place.ts";
import { configError, TaskPhaseError } from "../text/errors.ts";
import { errorFinding, type Finding, infoFinding, warningFinding } from "../text/finding.ts";
import { branchName } from "../text/ref-name.ts";
import { quoteWord } from "../text/shell-words.ts";
import { type Carried, carryDependencies } from "./carry-dependencies.ts";
import type { ClaimContext } from "./claim-context.ts";
import { makeClone } from "./clone.ts";
import { type LocalMirror, type LocalWork, layoutOf, refuseCheckedOut } from "./local-work.ts";
import { type Merging, mergeBoth } from "./merge-both.ts";
import type { Mirror } from "./mirror.ts";
import { findTaskFolder, type OpenBranch } from "./open-branch.ts";
import { readSeen } from "./see-branch.ts";
import { bringFolder, readEdits, takeEdits } from "./take-edits.ts";

export interface LocalBranch extends OpenBranch {
  /** What the branch will have of the person's words, once it is pushed. */
  readonly taken: Taken;
  /** The task's folder in their working tree; it may not be there. */
  readonly treeDir: string;
  readonly told: readonly Finding[];
  readonly carried: Carried;
}

/**
 * Like `openBranch`, in the person's own repository: the clone borrows its objects, the branch begins at their HEAD or
 * at what the task depends on, and their edits of the task are taken along. Throws as that, and TP_EDIT_CONFLICT.
 */
export async function openLocalBranch(
  context: ClaimContext,
  mirror: LocalMirror,
  work: LocalWork,
): Promise<LocalBranch> {
  const { request, place, ports } = context;
  const { env, signal } = ports;
  openPrivateFolder(place.scratch);
  const layout = layoutOf(work, mirror);
  request.onNotify?.(work.config.notify);
  request.onBase?.(work.config);
  const ref = taskRefOf(request.task, layout.pattern);
  refuseCheckedOut(work, ref);
  const tip = mirror.commitOf(ref);
  const treeDir = join(work.tasksRoot, work.folder);
  const needed = tip === null ? dependenciesOf(treeDir, mirror, work, layout.pattern) : [];
  const begin = await chooseBegin(work, tip, needed, env);
  const commit = async (git: GitPlace) =>
    work.merge === null
      ? await joinBranches(git, begin, ref, env)
      : await joinOther(git, work.merge, { ref, scratch: place.scratch, tree: work.tree }, env);
  const { clone: folder, objects } = place;
  const wanted = { folder, objects, mirror, url: null, ref, commit, raw: layout.prefix, kept: place, env, signal };
  const { base, files, ...clone } = await makeClone(wanted);
  const known = readTaken(place.taken);
  let now = withRemoved(readEdits(treeDir), known);
  const told: Finding[] = [];
  let taskDir: string;
  if (tip === null) {
    taskDir = join(clone.git.top, Buffer.from(layout.prefix, "latin1").toString("utf8"), basename(treeDir));
    refuseBegun(treeDir, taskDir);
    if (!stands(taskDir)) told.push(tookAlong(treeDir, ref));
    const gone = readSeen(place.seen)?.commit ?? null;
    const path = relative(clone.git.top, taskDir);
    if (gone !== null && !(await hasLanded(clone.git, { commit: gone, path }, base, env)))
      told.push(branchGone(ref, gone));
    bringFolder(treeDir, taskDir);
    now = readEdits(taskDir);
    if (now.files[controlFile] === undefined) writeTaken(place.taken, now);
    else doubtControl(place.taken, now);
  } else {
    taskDir = await findTaskFolder(clone.git, layout, request.task, env);
    const own = { commit: tip, path: relative(clone.git.top, taskDir) };
    if (goesOn(treeDir, taskDir) && (await hasLanded(work.tree, own, work.base.commit, env)))
      throw wentOn(treeDir, begin.commit === tip ? ref : null);
    const paths = await takeEdits(
      clone.git,
      { now, taken: known ?? now },
      { taskDir, treeDir, note: place.taken, ref },
      { env, scratch: place.scratch },
    );
    if (paths.includes(controlFile)) doubtControl(place.taken, known ?? now);
    if (paths.length > 0)
      told.push(infoFinding("TP_EDITS_TAKEN", `taken along from your working tree: ${paths.join(", ")}`));
  }
  const carried = { ...(await carryDependencies(work, clone.git, { treeDir, place }, ports)), files };
  // What is not there now may be stashed, or in another branch: it is not new when it is back.
  const taken = tip === null ? now : { ...now, files: { ...known?.files, ...now.files } };
  return { clone, taskDir, ref, tip, base, fleet: work.config.fleet, layout, taken, treeDir, told, carried };
}

/** A CONTROL.md that a person removes says no more, while other files may be stashed, or those of another branch. */
function withRemoved(now: Taken, known: Taken | null): Taken {
  const { [controlFile]: before } = known?.files ?? {};
  const isRemoved =
    before !== undefined && now.files[controlFile] === undefined && now.files["README.md"] !== undefined;
  return isRemoved ? { ...now, files: { ...now.files, [controlFile]: "" } } : now;
}

function branchGone(ref: string, commit: string): Finding {
  const branch = branchName(ref);
  const message = `${branch} is gone and not merged: the task begins anew from your working tree`;
  return warningFinding("TP_BRANCH_GONE", message, { fix: `git branch ${branch} ${commit} brings the branch back` });
}

function tookAlong(treeDir: string, ref: string): Finding {
  const message = `the brief is in no commit yet: it is taken along to ${branchName(ref)}`;
  return infoFinding("TP_BRIEF_TAKEN", message, { file: join(treeDir, "README.md") });
}

/** Work of earlier passes that is in no commit stays in the person's tree, and a branch would begin without it. */
function refuseBegun(treeDir: string, taskDir: string): void {
  const here = readTaskJournal(join(treeDir, "artifacts", "journal.jsonl")) ?? emptyJournal;
  const there = readTaskJournal(join(taskDir, "artifacts", "journal.jsonl")) ?? emptyJournal;
  if (here.seq === there.seq || readHistory(here.events).lastPass === 0) return;
  throw configError("TP_WORKSPACE", "the task has begun in your working tree, and its passes are in no commit", {
    file: treeDir,
    fix: "commit the task folder with its code, or finish the task with workspace: here",
  });
}

/** The journal in the working tree begins with that of the branch, and has more. */
function goesOn(treeDir: string, taskDir: string): boolean {
  const [here, there] = [treeDir, taskDir].map((folder) => readText(placeOf(folder).journal, maxJournalBytes));
  return here != null && there != null && here.length > there.length && here.startsWith(there);
}

/** `ref`: the branch, if it cannot follow to where the task goes on. */
function wentOn(treeDir: string, ref: string | null): TaskPhaseError {
  const also = ref === null ? "" : ` and delete the branch: git branch -D ${quoteWord(branchName(ref))}`;
  return configError("TP_WORKSPACE", "the task went on in your working tree after its branch was merged", {
    file: treeDir,
    fix: `commit the task folder with its code${also}`,
  });
}

type Needed = Pick<AheadTask, "commit" | "path">;

/** The branches of what the task depends on; null: it has none, as one that has landed. */
function dependenciesOf(treeDir: string, mirror: Mirror, { tree, tasksRoot }: LocalWork, pattern: string) {
  const folders = new Map(listTasks(tasksRoot).map(({ id, folder }) => [id, folder]));
  return (readListed(treeDir)?.dependsOn ?? []).map((id): Needed | null => {
    const commit = mirror.commitOf(taskRefOf(id, pattern));
    return commit === null ? null : { commit, path: relative(tree.top, folders.get(id) ?? join(tasksRoot, id)) };
  });
}

/** With marks where both changed the same lines, for a repair. */
async function joinOther(
  git: GitPlace,
  merge: Merging,
  { ref, scratch, tree: person }: { readonly ref: string; readonly scratch: string; readonly tree: GitPlace },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { tree } = await mergeBoth({ git, tree: person }, merge, scratch, env);
  const message = `task-phase: what ${branchName(ref)} is to be merged with\n`;
  return await makeCommit(git, { tree, parents: [merge.task.commit, merge.into.commit], message }, env);
}

type Begin = Awaited<ReturnType<typeof chooseBegin>>;

/** A branch that has landed is behind, and one that others depend on is ahead. `others` are merged into `commit`. */
async function chooseBegin(
  { tree, base }: LocalWork,
  tip: string | null,
  needed: readonly (Needed | null)[],
  env: NodeJS.ProcessEnv,
) {
  if (tip !== null) return { commit: (await goesBack(tree, base.commit, tip, env)) ? base.commit : tip, others: [] };
  const open: string[] = [];
  for (const task of needed)
    if (task !== null && !(await hasLanded(tree, task, base.commit, env))) open.push(task.commit);
  // A branch that began before another task landed has nothing of that.
  if (open.length < needed.length) open.push(base.commit);
  const [first = base.commit, ...others] = open;
  return { commit: first, others };
}

/** Their merge, in the clone alone. Throws a blocked error, since only a person can join what contradicts itself. */
async function joinBranches(git: GitPlace, begin: Begin, ref: string, env: NodeJS.ProcessEnv): Promise<string> {
  let at = begin.commit;
  for (const other of begin.others) {
    if (await goesBack(git, at, other, env)) continue;
    const merged = await mergeTrees(git, at, other, env);
    if (merged.kind === "conflict") {
      const message = `${branchName(ref)} waits: what it depends on cannot be merged (${merged.paths.join(", ")})`;
      const fix = "land one of them first: task-phase land";
      throw new TaskPhaseError("blocked", [errorFinding("TP_DEPENDENCIES_CONFLICT", message, { fix })]);
    }
    const message = `task-phase: what ${branchName(ref)} depends on\n`;
    at = await makeCommit(git, { tree: merged.tree, parents: [at, other], message }, env);
  }
  return at;
}

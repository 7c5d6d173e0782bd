import { join } from "node:path";
import { runContractChecks } from "../../checks/contract-checks.ts";
import { makeCommit } from "../../git/merge.ts";
import { bareAt, type GitPlace } from "../../git/place.ts";
import { orderlyGraceMs } from "../../process/grace.ts";
import { createMark } from "../../process/mark.ts";
import { endSurvivors } from "../../process/survivors.ts";
import { hasLanded } from "../../queue/views/has-landed.ts";
import type { AheadTask } from "../../queue/views/root-view.ts";
import { readHistory } from "../../rules/add-event.ts";
import { type CheckResult, failedChecks } from "../../rules/check-run.ts";
import type { Ticket } from "../../rules/decision.ts";
import { checkTickets } from "../../rules/tickets.ts";
import { removeAll } from "../../store/folder.ts";
import { pathPrefix } from "../../store/path-key.ts";
import { cacheHome, openPrivateFolder } from "../../store/state-home.ts";
import { endingOrphans } from "../../task/guard/end-orphans.ts";
import { openTask } from "../../task/open-task.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { placeOf } from "../../task/records/task-place.ts";
import { branchName } from "../../text/ref-name.ts";
import { carryDependencies } from "../carry-dependencies.ts";
import { claimPlace } from "../claim-place.ts";
import { type CloneRequest, makeClone, type NewClone, stoppedError } from "../clone.ts";
import type { LocalWork } from "../local-work.ts";
import { listLeft, listMarked, type Merged, mergeBoth } from "../merge-both.ts";
import { prepareClone } from "../prepare-clone.ts";

/** The result of merging a branch with the target, in a private clone. */
export type MergeResult =
  /**
   * `commit` has both, and every required check passes there. It is in the clone's object store alone. `isMerge`: it leads
   * to the branch too; else it has the work alone, since the target has other commits than those on which the branch builds.
   */
  | { readonly kind: "proven"; readonly commit: string; readonly isMerge: boolean; readonly clone: GitPlace }
  /** The target has all of the branch already. */
  | { readonly kind: "merged" }
  | { readonly kind: "conflict"; readonly paths: readonly string[]; readonly tickets: readonly Ticket[] }
  | { readonly kind: "failed"; readonly checks: readonly CheckResult[]; readonly tickets: readonly Ticket[] };

export interface Landing {
  readonly work: LocalWork;
  readonly task: Pick<AheadTask, "id" | "ref" | "commit" | "path">;
  /** The branch that it lands in, a full name, and its commit. */
  readonly target: { readonly ref: string; readonly commit: string };
  /** Of a dry run: the commits of the branches that would land before it. */
  readonly first?: readonly string[];
}

/**
 * Merges the branch of a task into the target and runs the required checks on the result, in a clean copy. `use` gets the
 * result while the copy is there. Throws TP_GIT, and config errors for what keeps the checks from running.
 */
export async function mergeAndCheck<Value>(
  landing: Landing,
  ports: PassPorts,
  use: (result: MergeResult) => Promise<Value>,
): Promise<Value> {
  const { work, task, target, first = [] } = landing;
  const { env, home } = ports;
  if (await hasLanded(work.tree, task, target.commit, env)) return await use({ kind: "merged" });
  const { scratch } = claimPlace(cacheHome(env, home), work.tree.commonDir, task.id);
  let merged: Merged = { tree: "", paths: [], isOnto: true };
  const commit = async (git: GitPlace) => {
    merged = await mergeBoth({ git, tree: work.tree, first }, { task, into: target }, scratch, env);
    const message = `task-phase: land ${task.id} in ${branchName(target.ref)}\n`;
    const parents = merged.isOnto ? [target.commit, task.commit] : [target.commit];
    return await makeCommit(git, { tree: merged.tree, parents, message }, env);
  };
  return await inLandClone(landing, commit, ports, async (made) => {
    const taskDir = join(made.git.top, task.path);
    const { top } = made.git;
    const paths = merged.paths.length > 0 ? merged.paths : listLeft(top, taskDir);
    if (paths.length > 0) {
      const ticket = conflictTicket(paths, listMarked(top, paths), target.ref);
      return await use({ kind: "conflict", paths, tickets: [ticket] });
    }
    await installIn(made, taskDir, work, ports);
    const run = await runChecksIn(made, { taskDir, scratch, config: work.config.path }, ports);
    const failed = failedChecks(run);
    if (failed.length === 0)
      return await use({ kind: "proven", commit: made.base, isMerge: merged.isOnto, clone: made.git });
    const tickets = checkTickets({ ...run, moved: [] }).map((ticket) => asMerge(ticket, target.ref));
    return await use({ kind: "failed", checks: failed, tickets });
  });
}

/** A private clone of a commit that both branches lead to, or of what is made of them, as long as `use` runs. */
export async function inLandClone<Value>(
  { work: { tree }, task }: Landing,
  commit: CloneRequest["commit"],
  { env, home, signal }: PassPorts,
  use: (made: NewClone) => Promise<Value>,
): Promise<Value> {
  const { land: folder, landed: objects, scratch } = claimPlace(cacheHome(env, home), tree.commonDir, task.id);
  openPrivateFolder(scratch);
  const mirror = { place: bareAt(tree.commonDir) };
  try {
    const wanted = { folder, objects, mirror, url: null, ref: task.ref, commit, raw: pathPrefix(task.path) };
    return await use(await makeClone({ ...wanted, env, signal }));
  } finally {
    removeAll(folder);
  }
}

/** Brings the dependencies into a clone. `taskDir`: the task whose brief names them. */
export async function installIn({ git }: NewClone, taskDir: string, work: LocalWork, ports: PassPorts): Promise<void> {
  await carryDependencies(work, git, { treeDir: taskDir, place: null }, ports);
  for (const command of work.config.fleet?.prepare ?? []) await prepareClone(command, git.top, ports);
}

async function runChecksIn(
  { git }: NewClone,
  { taskDir, scratch, config }: { readonly taskDir: string; readonly scratch: string; readonly config: string | null },
  ports: PassPorts,
) {
  const place = placeOf(taskDir);
  const { contract, journal } = openTask(place, config, ports);
  const history = readHistory(journal.events);
  // Of this task alone, whose lock is held: what a killed call left in it goes too.
  const folder = join(scratch, "land-checks");
  openPrivateFolder(folder);
  const mark = createMark(folder);
  try {
    const checks = {
      ...{ contract, repo: git.top, place, history, pass: history.lastPass, mark, ports },
      ...{ logFolder: join(folder, "logs"), logRelative: "the checks of the merge" },
    };
    const ran = await endingOrphans(folder, mark, ports.env, () => runContractChecks(checks));
    if (ran.kind === "aborted") throw stoppedError(ports.signal, "while the merge was checked; nothing was landed");
    return ran.run;
  } finally {
    await endSurvivors(mark, [], orderlyGraceMs);
    removeAll(folder);
  }
}

function conflictTicket(paths: readonly string[], marked: readonly string[], ref: string): Ticket {
  const into = branchName(ref);
  const others = paths.filter((path) => !marked.includes(path));
  const texts = [
    ...(marked.length === 0
      ? []
      : [
          `the work and ${into} changed the same lines of ${marked.join(", ")}. Both are there now, between marks (<<<<<<< and >>>>>>>): keep what both want, remove the marks`,
        ]),
    ...(others.length === 0
      ? []
      : [
          `the work and ${into} both changed ${others.join(", ")}, which git cannot merge: it is no text, or one of them removed or renamed it. What is there now is of one of them: make it what both want`,
        ]),
  ];
  return { id: "merge:conflict", source: "merge", name: paths[0] ?? "", text: texts.join(". ") };
}

function asMerge({ name, text }: Ticket, ref: string): Ticket {
  const where = `on the merge with ${branchName(ref)}, which is in the repo now`;
  return { id: `merge:${name}`, source: "merge", name, text: `${where}: ${text}` };
}

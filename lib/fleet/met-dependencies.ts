import { join, relative } from "node:path";
import { maxJournalBytes, parseTaskJournal } from "../anchor/task-journal.ts";
import { type GitObjects, openObjects } from "../git/objects.ts";
import { taskRefOf } from "../git/task-ref.ts";
import { readHistory } from "../machine/add-event.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { listTasks, readListed } from "../task/dependencies.ts";
import type { ClaimContext } from "./claim-context.ts";
import type { Mirror } from "./mirror.ts";
import { findBase, type OpenBranch } from "./open-branch.ts";

/**
 * The dependencies of the task that the remote says are done: in the branch that tasks are merged into, or with
 * `fleet.after: done` in their own. A journal that cannot be read says nothing.
 */
export async function findMet(context: ClaimContext, mirror: Mirror, branch: OpenBranch): Promise<ReadonlySet<string>> {
  const { clone, taskDir, fleet } = branch;
  const needed = new Set(readListed(taskDir)?.dependsOn);
  if (needed.size === 0) return needed;
  const base = await findBase(context, mirror, fleet);
  const objects = await openObjects(clone.git, context.ports.env);
  try {
    const met = new Set<string>();
    for (const { id, folder } of listTasks(join(taskDir, ".."))) {
      if (!needed.has(id)) continue;
      const journal = relative(clone.git.top, join(folder, "artifacts", "journal.jsonl"));
      const own = fleet?.after === "done" ? mirror.commitOf(taskRefOf(id, fleet.ref)) : null;
      for (const commit of [base, own])
        if (commit !== null && (await isDoneAt(objects, `${commit}:${journal}`))) met.add(id);
    }
    return met;
  } finally {
    objects.close();
  }
}

async function isDoneAt(objects: GitObjects, name: string): Promise<boolean> {
  const read = await objects.read(name, maxJournalBytes);
  if (read.kind !== "blob") return false;
  try {
    return readHistory(parseTaskJournal(read.bytes, name).events).phase === "done";
  } catch (error) {
    if (error instanceof TaskPhaseError) return false;
    throw error;
  }
}

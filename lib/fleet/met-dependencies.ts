import { join, relative } from "node:path";
import { maxJournalBytes, parseTaskJournal } from "../anchor/task-journal.ts";
import { type GitObjects, openObjects } from "../git/objects.ts";
import { taskRefOf } from "../git/task-ref.ts";
import { readHistory } from "../machine/add-event.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { listTasks, readListed } from "../task/dependencies.ts";
import type { ClaimContext } from "./claim-context.ts";
import type { Mirror } from "./mirror.ts";
import type { OpenBranch } from "./open-branch.ts";

/**
 * The dependencies of the task that the remote says are done: in the branch that tasks are merged into, or unless
 * `fleet.after` is merged in their own. A journal that cannot be read says nothing.
 */
export async function findMet(
  { ports }: ClaimContext,
  mirror: Mirror,
  { clone, taskDir, layout }: OpenBranch,
): Promise<ReadonlySet<string>> {
  const needed = new Set(readListed(taskDir)?.dependsOn);
  if (needed.size === 0) return needed;
  const { base, config, pattern } = layout;
  const objects = await openObjects(clone.git, ports.env);
  try {
    const met = new Set<string>();
    for (const { id, folder } of listTasks(join(taskDir, ".."))) {
      if (!needed.has(id)) continue;
      const journal = relative(clone.git.top, join(folder, "artifacts", "journal.jsonl"));
      const own = config.fleet?.after === "merged" ? null : mirror.commitOf(taskRefOf(id, pattern));
      for (const commit of [base?.commit, own])
        if (typeof commit === "string" && (await isDoneAt(objects, `${commit}:${journal}`))) met.add(id);
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

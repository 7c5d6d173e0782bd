import { join, relative } from "node:path";
import { openObjects } from "../git/objects.ts";
import { taskRefOf } from "../git/task-branches.ts";
import { readHistory } from "../rules/add-event.ts";
import { listTasks, readListed } from "../task/list-tasks.ts";
import type { PassFence } from "../task/records/ports.ts";
import type { ClaimContext } from "./claim-context.ts";
import { readEventsAt } from "./ledger-facts.ts";
import type { Mirror } from "./mirror.ts";
import type { OpenBranch } from "./open-branch.ts";

/**
 * The dependencies of a task that the remote says are done: those that count, and those that are to be merged first.
 * Done counts in the branch that tasks are merged into, and unless `fleet.after` is merged in the dependency's own. A
 * journal that cannot be read says nothing.
 */
export async function findMet(
  { ports }: ClaimContext,
  mirror: Mirror,
  { clone, taskDir, layout }: OpenBranch,
): Promise<Pick<PassFence, "met" | "unmerged">> {
  const needed = new Set(readListed(taskDir)?.dependsOn);
  const [met, unmerged] = [new Set<string>(), new Set<string>()];
  if (needed.size === 0) return { met, unmerged };
  const { base, config, pattern } = layout;
  const objects = await openObjects(clone.git, ports.env);
  try {
    for (const { id, folder } of listTasks(join(taskDir, ".."))) {
      if (!needed.has(id)) continue;
      const journal = relative(clone.git.top, join(folder, "artifacts", "journal.jsonl"));
      const isDoneIn = async (commit: string | null | undefined) => {
        const events = typeof commit === "string" ? await readEventsAt(objects, `${commit}:${journal}`) : null;
        return readHistory(events ?? []).phase === "done";
      };
      if (await isDoneIn(base?.commit)) met.add(id);
      else if (await isDoneIn(mirror.commitOf(taskRefOf(id, pattern))))
        (config.fleet?.after === "merged" ? unmerged : met).add(id);
    }
    return { met, unmerged };
  } finally {
    objects.close();
  }
}

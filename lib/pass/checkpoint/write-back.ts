import { dirname, join, resolve } from "node:path";
import { isProven } from "../../rules/headline.ts";
import { renderTaskNote, writeStory } from "../../scaffold/interchange/write-story.ts";
import { isDone, listTasks } from "../../task/list-tasks.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import type { HeldTask } from "../../task/session.ts";
import { prdOf } from "../../task/story-sources.ts";

/** Updates the story in the task's prd.json, under the lock, after the change is durable. A failure is a finding. */
export async function writeBack(session: HeldTask, { contract }: TaskContract, repo: string): Promise<void> {
  const { place, history, ports } = session;
  const { source } = contract;
  if (source === null) return;
  const prd = prdOf(place.taskDir, source);
  const last = history.lastVerdict;
  const standing = { stands: history.phase ?? "intake", last, evidence: place.evidence };
  session.findings.push(
    ...(await writeStory({
      prd,
      story: source.story,
      taskDir: place.taskDir,
      done: history.phase === "done" && isProven(last),
      note: renderTaskNote(standing, dirname(prd), ports.redactor),
      within: [repo, place.tasksRoot],
      lock: join(place.runtime, "locks", ".prd.lock"),
      others: listTasks(place.tasksRoot).flatMap(({ folder, source: other }) =>
        other !== null && folder !== place.taskDir && resolve(folder, other.prd) === prd
          ? [{ story: other.story, taskDir: folder, isDone: () => isDone(folder) }]
          : [],
      ),
    })),
  );
}

import { maxJournalBytes, parseTaskJournal } from "../anchor/task-journal.ts";
import { type GitObjects, openObjects } from "../git/objects.ts";
import type { TaskEvent } from "../machine/events.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { BranchTask } from "../upkeep/inspect-branches.ts";
import type { FleetPorts, FleetRemote } from "./read-remote.ts";

/** The events of a task, as the commit that its standing was read from has them. */
export interface TaskEvents {
  /** The id. */
  readonly task: string;
  /** None if there is no journal; null if it cannot be read. */
  readonly events: readonly TaskEvent[] | null;
}

/** Reads the journals of the tasks that `isWanted` names. */
export async function readJournalsOf(
  { place, tasks }: Pick<FleetRemote, "place" | "tasks">,
  isWanted: (task: string) => boolean,
  { env }: Pick<FleetPorts, "env">,
): Promise<TaskEvents[]> {
  const wanted = tasks.filter(({ id }) => id !== null && isWanted(id));
  if (wanted.length === 0) return [];
  const objects = await openObjects(place, env);
  try {
    const read: TaskEvents[] = [];
    for (const task of wanted) read.push({ task: task.id ?? "", events: await readEvents(task, objects) });
    return read;
  } finally {
    objects.close();
  }
}

async function readEvents({ readAt }: BranchTask, objects: GitObjects): Promise<readonly TaskEvent[] | null> {
  // A line break would end the question to git.
  if (readAt === null || readAt.path.includes("\n")) return null;
  const path = `${readAt.path}/artifacts/journal.jsonl`;
  const object = await objects.read(`${readAt.commit}:${path}`, maxJournalBytes);
  if (object.kind !== "blob") return object.kind === "missing" ? [] : null;
  try {
    return parseTaskJournal(object.bytes, path).events;
  } catch (error) {
    if (error instanceof TaskPhaseError) return null;
    throw error;
  }
}

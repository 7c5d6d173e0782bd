import { standings } from "../../rules/standing-facts.ts";
import type { BriefTask } from "./input.ts";
import type { BoardRow } from "./rows.ts";
import { needsPerson } from "./standings.ts";

export interface BoardInput {
  readonly root: string;
  /** When it was written, ISO 8601, UTC. */
  readonly at: string;
  readonly tasks: readonly BriefTask[];
  /** The row of a task that is among the first. */
  rowOf(task: BriefTask): BoardRow;
}

type GroupKey = (typeof groups)[number]["key"];
export type BoardGroup = ReturnType<typeof groupRows>[number];

/** `need`: what that of the rows is. */
const groups = [
  {
    key: "person",
    title: "Needs a person",
    caption: "These continue once a person answers, edits or repairs something",
    need: "What is needed",
  },
  {
    key: "next",
    title: "Continues by itself",
    caption: "The next run works on these, or one is running now",
    need: "What comes next",
  },
  {
    key: "waiting",
    title: "Waits for other tasks",
    caption: "These start when their dependencies are done",
    need: "What it waits for",
  },
  { key: "paused", title: "Paused", caption: "A person stopped these", need: "Why" },
  {
    key: "unproven",
    title: "Done without proof",
    caption: "Their checks pass; that these notice the work was not shown",
    need: "Proof",
  },
  { key: "done", title: "Done", caption: "The runner ran their checks itself", need: "Proof" },
] as const;

/** The groups that have tasks, those that need a person first, with the rows of the first `most` tasks. */
export function groupRows({ tasks, rowOf }: Pick<BoardInput, "tasks" | "rowOf">, most = Number.POSITIVE_INFINITY) {
  return inGroups(tasks, most).map(({ group, shown, more }) => ({ ...group, rows: shown.map(rowOf), more }));
}

export function firstTasks<Task extends BriefTask>(tasks: readonly Task[], most: number): Task[] {
  return inGroups(tasks, most).flatMap(({ shown }) => shown);
}

function inGroups<Task extends BriefTask>(tasks: readonly Task[], most: number) {
  const members = new Map<GroupKey, Task[]>(groups.map(({ key }) => [key, []]));
  for (const task of tasks) members.get(groupOf(task))?.push(task);
  let left = most;
  return groups.flatMap((group) => {
    const all = (members.get(group.key) ?? []).sort(byUrgency);
    const shown = all.slice(0, Math.max(0, left));
    left -= shown.length;
    return all.length === 0 ? [] : [{ group, shown, more: all.length - shown.length }];
  });
}

function groupOf(task: BriefTask): GroupKey {
  const { standing, who, tone } = task;
  if (standing === "done") return tone === "amber" ? "unproven" : standing;
  if (standing === "paused") return standing;
  if (standing === "cancelled") return "paused";
  if (needsPerson(task)) return "person";
  return who === "tasks" ? "waiting" : "next";
}

/** The longest wait first, then by folder, so that the order is always the same. */
function byUrgency(left: BriefTask, right: BriefTask): number {
  const order =
    left.standing === right.standing ? 0 : standings.indexOf(left.standing) - standings.indexOf(right.standing);
  const [a, b] = [left.movedAt ?? "", right.movedAt ?? ""];
  // Among done tasks the newest comes first: the others were read before.
  const time = a === b ? 0 : (a < b ? -1 : 1) * (left.standing === "done" ? -1 : 1);
  return order || time || (left.folder < right.folder ? -1 : 1);
}

/** No document shows more rows. */
export const mostRows = 2_000;

/** The rows from the top as long as they fit, counted and by the bytes of all texts and addresses, escaped. */
export function limitRows(
  groups: readonly BoardGroup[],
  limits: { readonly rows: number; readonly bytes: number },
): BoardGroup[] {
  let left = limits;
  return groups.map((group) => {
    let shown = 0;
    for (const row of group.rows) {
      left = { rows: left.rows - 1, bytes: left.bytes - costOf(row) };
      if (left.rows < 0 || left.bytes < 0) break;
      shown += 1;
    }
    return { ...group, rows: group.rows.slice(0, shown), more: group.more + group.rows.length - shown };
  });
}

/** What the texts of a value may take once they are escaped: no mark takes more than six bytes. */
function costOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 5 * (value.match(/[^\p{L}\p{N} ]/gu)?.length ?? 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner) => sum + costOf(inner), 0);
}

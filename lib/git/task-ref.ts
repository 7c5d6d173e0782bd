import { configError } from "../report/errors.ts";
import type { FindingPlace } from "../report/finding.ts";
import { problemOfBranch } from "../text/ref-name.ts";
import { shorten } from "../text/shorten.ts";

/** The branch of a task, as `fleet.ref` has it by default. `{id}` is always its last part. */
export const usualTaskRef = "task-phase/{id}";

const heads = "refs/heads/";

/**
 * The full name of the branch of a task, such as `refs/heads/task-phase/T-123`. Throws a config error (TP_TASK_REF)
 * at `place`, such as the brief, if the id cannot be part of a ref.
 */
export function taskRefOf(id: string, pattern: string = usualTaskRef, place: FindingPlace = {}): string {
  const branch = pattern.replace("{id}", () => id);
  const problem = id === "" ? "is empty" : id.includes("/") ? "contains a slash" : problemOfBranch(branch);
  if (problem === null) return heads + branch;
  throw configError(
    "TP_TASK_REF",
    `the id ${shorten(id)} cannot be a branch (${shorten(branch, 120)}): it ${problem}`,
    { ...place, fix: "give the task an id of letters, digits, hyphens and underscores, such as T-123" },
  );
}

/** The id that a full ref name is the branch of; null if it is no branch of a task. */
export function idOfTaskRef(ref: string, pattern: string = usualTaskRef): string | null {
  const prefix = heads + pattern.slice(0, -"{id}".length);
  const id = ref.startsWith(prefix) ? ref.slice(prefix.length) : "";
  return id === "" || id.includes("/") ? null : id;
}

/**
 * Ids of which only one can be a branch where names are files and case, or the way that an accent is written, makes no
 * difference: groups of two and more, in the order of `ids`.
 */
export function findSameRefs(ids: readonly string[]): string[][] {
  const groups = new Map<string, Set<string>>();
  for (const id of ids) {
    const folded = id.normalize("NFC").toUpperCase().toLowerCase();
    groups.set(folded, (groups.get(folded) ?? new Set()).add(id));
  }
  return [...groups.values()].filter((group) => group.size > 1).map((group) => [...group]);
}

/** What is wrong with such a group. */
export function describeSameRefs(ids: readonly string[]): string {
  const names = ids.map((id) => shorten(id)).join(" and ");
  return `the ids ${names} differ in case or accents alone, so some hosts and disks take their branches for one`;
}

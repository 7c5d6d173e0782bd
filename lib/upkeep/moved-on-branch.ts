import { posix } from "node:path";
import { maxJournalBytes } from "../anchor/task-journal.ts";
import type { GitObjects } from "../git/objects.ts";
import type { GitPlace } from "../git/place.ts";
import { countCodePaths, findLastChange } from "../git/revision.ts";
import type { ListedFiles } from "../listing/listed-files.ts";
import { isProven } from "../machine/headline.ts";
import type { Moved } from "../machine/standing-facts.ts";

/** A task as its own branch has it. */
export interface OnBranch extends Pick<ListedFiles, "history"> {
  readonly tip: string;
  /** The task folder in the commit. */
  readonly path: string;
  readonly brief: Pick<ListedFiles["brief"], "repo">;
}

/**
 * Whether the branch of a task that is done changed code after the commit of its last event, as people see it in a
 * folder. `isTasks`: whether a path belongs to the tasks. Null if not, and if the code is not in this repository. Throws
 * TP_GIT.
 */
export async function findMovedOnBranch(
  place: GitPlace,
  { tip, path, history, brief: { repo } }: OnBranch,
  isTasks: (path: string) => boolean,
  read: GitObjects["read"],
  env: NodeJS.ProcessEnv,
): Promise<Moved | null> {
  if (history.phase !== "done" || !isProven(history.lastVerdict)) return null;
  const code = posix.normalize(posix.join(path, repo ?? posix.relative(path, "."))).replace(/\/$/, "");
  if (repo?.startsWith("/") === true || code === ".." || code.startsWith("../")) return null;
  const journal = `${path}/artifacts/journal.jsonl`;
  if (await isLastChange(tip, journal, read)) return null;
  const done = await findLastChange(place, tip, journal, env);
  if (done === null || done === tip) return null;
  const count = await countCodePaths(place, [done, tip], code, isTasks, env);
  return count === 0 ? null : { kind: "paths", count };
}

/** The usual case without a process: the tip is no merge, and its parent has another journal. */
async function isLastChange(tip: string, journal: string, read: GitObjects["read"]): Promise<boolean> {
  // A name is one line of what git is asked.
  if (journal.includes("\n")) return false;
  const [now, before] = [
    await read(`${tip}:${journal}`, maxJournalBytes),
    await read(`${tip}^:${journal}`, maxJournalBytes),
  ];
  if (now.kind !== "blob" || before.kind !== "blob" || now.bytes.equals(before.bytes)) return false;
  return (await read(`${tip}^2:${journal}`, 0)).kind === "missing";
}

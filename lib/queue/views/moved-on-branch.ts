import { posix } from "node:path";
import { eventsOfProof, isTest, pathsOfTask } from "../../checks/delivered-paths.ts";
import { parseWatch } from "../../checks/watch/watch.ts";
import type { GitObjects } from "../../git/objects.ts";
import type { GitPlace } from "../../git/place.ts";
import { countCodePaths, findLastChange } from "../../git/revision.ts";
import { readHistory } from "../../rules/add-event.ts";
import { isProven } from "../../rules/headline.ts";
import type { Moved } from "../../rules/standing-facts.ts";
import { maxListedPaths } from "../../rules/verdict-event.ts";
import { maxJournalBytes, parseTaskJournal } from "../../task/records/task-journal.ts";
import type { ListedFiles } from "../listing/listed-files.ts";

interface OnBranch extends Pick<ListedFiles, "history"> {
  readonly tip: string;
  /** The task folder in the commit. */
  readonly path: string;
  readonly brief: Pick<ListedFiles["brief"], "repo">;
}

/**
 * Whether the branch of a task that is done changed what the task is about after the commit of its last event.
 * `isTasks`: whether a path belongs to the tasks. Null if not, and if the code is not in this repository. Throws TP_GIT.
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
  const journal = `${path}/${journalName}`;
  if (await isLastChange(tip, journal, read)) return null;
  const done = await findLastChange(place, tip, journal, env);
  if (done === null || done === tip) return null;
  const paths = await pathsOnBranch(tip, path, read);
  const inCode = (name: string): string => (code === "." ? name : name.slice(code.length + 1));
  const isOther = (name: string) => paths !== null && !paths.has(inCode(name)) && !isTest(inCode(name));
  const count = await countCodePaths(place, [done, tip], code, (name) => isTasks(name) || isOther(name), env);
  return count === 0 ? null : { kind: "paths", count };
}

const journalName = "artifacts/journal.jsonl";

/** Null if the journal does not list them all, or what its checks run cannot be read: then every path counts. */
async function pathsOnBranch(tip: string, path: string, read: GitObjects["read"]): Promise<ReadonlySet<string> | null> {
  const textOf = async (name: string) => {
    const found = name.includes("\n") ? null : await read(`${tip}:${path}/${name}`, maxJournalBytes);
    return found?.kind === "blob" ? found.bytes : null;
  };
  const journal = await textOf(journalName);
  const events = eventsOfProof(journal === null ? [] : parseTaskJournal(journal, path).events);
  const { watch } = readHistory(events);
  const record = watch === null ? null : parseWatch((await textOf(watch.file))?.toString("utf8") ?? "");
  const lists = events.map((event) => (event.type === "verdict" ? event.changed_paths : []));
  if (record === null || lists.some((list) => list.length >= maxListedPaths)) return null;
  return pathsOfTask(
    lists.flat().map((changed) => changed.path),
    record,
  );
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

import { join, relative } from "node:path";
import { listTree } from "../git/list-tree.ts";
import type { GitPlace } from "../git/place.ts";
import { controlFile, guardedFiles } from "../rules/guarded-files.ts";
import { statEntry } from "../store/folder.ts";
import { rootExcludes } from "../task/board-files.ts";
import { listTaskFolders } from "../task/guarded-paths.ts";

const ofTask = [...guardedFiles.keys(), controlFile, "artifacts"];

/**
 * Absolute paths of task files, and of what the runner writes beside them: no part of a change. A STATE.md in a folder that the
 * base has as code, a link, and code beside the files of a task hide nothing.
 */
export async function listTaskFiles(place: GitPlace, base: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const { top } = place;
  const root = join(top, "tasks");
  const folders = statEntry(root)?.isDirectory() === true ? listTaskFolders(root) : [];
  if (folders.length === 0) return [];
  const was = withFolders((await listTree(place, base, env)).keys());
  const wasThere = (path: string) => was.has(Buffer.from(relative(top, path)).toString("latin1"));
  const wasTask = (folder: string) =>
    wasThere(join(folder, "STATE.md")) || wasThere(join(folder, "artifacts", "journal.jsonl"));
  const tasks = folders.filter((folder) => wasTask(folder) || !wasThere(folder));
  const hadTasks = tasks.some(wasTask);
  const beside = [join(root, ".task-phase"), ...rootExcludes(root, top)].filter((path) => hadTasks || !wasThere(path));
  return [...tasks.flatMap((folder) => ofTask.map((name) => join(folder, name))), ...beside].filter(
    (path) => statEntry(path)?.isSymbolicLink() !== true,
  );
}

/** A set hands on what is added while it is read. */
function withFolders(paths: Iterable<string>): ReadonlySet<string> {
  const all = new Set(paths);
  for (const path of all) if (path.includes("/")) all.add(path.slice(0, path.lastIndexOf("/")));
  return all;
}

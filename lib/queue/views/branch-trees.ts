import { type CommitNode, listChanges, type PathChange, pathspecsBelow } from "../../git/commits.ts";
import { isFile, type TreeEntry } from "../../git/list-tree.ts";
import type { GitPlace } from "../../git/place.ts";
import { listTreeFiles } from "../../git/revision.ts";
import type { Branch, TaskBranch } from "../../git/task-branches.ts";

/** The entries of a task folder that a list is made from, by their path in it. */
export type FolderFiles = ReadonlyMap<string, TreeEntry>;

/** Task folders by their names, whose bytes are here as latin1. */
export type Folders = ReadonlyMap<string, FolderFiles>;

/** The task folders of the base branch, and those that differ on the branches of tasks. */
export interface Trees {
  /** Empty without a base branch. */
  readonly base: Folders;
  /** By commit: what is there of each folder that is not as in the tree that `inherited` holds. */
  readonly changed: ReadonlyMap<string, Folders>;
  /** What a branch has of the folders that it does not change. */
  readonly inherited: Folders;
}

/** The files of which a row is read; folder names cover anything other than a folder in their place. */
const listedFiles = [
  "README.md",
  "STATE.md",
  "TASKS.md",
  "EVIDENCE.md",
  "DECISIONS.md",
  "CONTROL.md",
  "artifacts",
  "artifacts/journal.jsonl",
  "artifacts/passes",
] as const;
const isListed: ReadonlySet<string> = new Set(listedFiles);

/** Reads the trees of these commits, in two calls of git. `prefix`: of the tasks root, with a slash at its end or empty. */
export async function readTrees(
  place: GitPlace,
  prefix: string,
  base: Branch | null,
  branches: readonly TaskBranch[],
  env: NodeJS.ProcessEnv,
): Promise<Trees> {
  const reference = base ?? branches[0];
  if (reference === undefined) return { base: new Map(), changed: new Map(), inherited: new Map() };
  const inherited = overlay(new Map(), await listTreeFiles(place, reference.commit, prefix, env), prefix);
  const nodes = [...new Set(branches.map(({ commit }) => commit))].map(
    (sha): CommitNode => ({ sha, parents: [reference.commit] }),
  );
  const changes = await listChanges(place, nodes, pathspecsBelow(prefix, listedFiles), env);
  const changed = [...changes].map(([sha, list]) => [sha, overlay(inherited, list, prefix)] as const);
  return { base: base === null ? new Map() : inherited, changed: new Map(changed), inherited };
}

/** True for what a list takes for a task folder. */
export function isTaskFolder(files: FolderFiles): boolean {
  return files.has("STATE.md") || files.has("artifacts/journal.jsonl");
}

/** The folder of the task folders in a commit: its top, else `tasks`; null if they are in neither. */
export function findPrefix(entries: readonly PathChange[]): string | null {
  const files = new Set(entries.flatMap(({ path, entry }) => (entry !== null && isFile(entry) ? [path] : [])));
  const holds = (prefix: string) =>
    files.has(`${prefix}task-phase.yaml`) ||
    [...files].some((path) => {
      const name = path.startsWith(prefix)
        ? /^([^/.][^/]*)\/STATE\.md$/.exec(path.slice(prefix.length))?.[1]
        : undefined;
      return name !== undefined && files.has(`${prefix}${name}/README.md`);
    });
  return ["", "tasks/"].find(holds) ?? null;
}

/** Only the folders that a change is in, whole. */
function overlay(inherited: Folders, changes: readonly PathChange[], prefix: string): Folders {
  const folders = new Map<string, Map<string, TreeEntry>>();
  for (const { path, entry } of changes) {
    if (!path.startsWith(prefix)) continue;
    const [name = "", ...rest] = path.slice(prefix.length).split("/");
    const file = rest.join("/");
    // As on disk: folders that begin with a dot are passed over, and so are `.` and `..`, which no honest tree has.
    if (name === "" || name.startsWith(".") || !isListed.has(file)) continue;
    const files = folders.get(name) ?? new Map(inherited.get(name));
    folders.set(name, files);
    if (entry === null) files.delete(file);
    else files.set(file, entry);
  }
  return folders;
}

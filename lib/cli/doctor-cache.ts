import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../store/error-code.ts";
import { statEntry } from "../store/folder.ts";
import { cacheHome } from "../store/state-home.ts";

type CacheFacts = ReturnType<typeof inspectCache>;

/** `depth`: how far below the folder one of them is, as clones are sorted by repository. */
const kinds = [
  { kind: "clones", folders: ["clones", "pairs", "land"], depth: 2 },
  { kind: "dependencies", folders: ["carried", "files"], depth: 2 },
  { kind: "views", folders: ["views"], depth: 2 },
  { kind: "lost", folders: ["lost"], depth: 2 },
  { kind: "mirrors", folders: ["repos"], depth: 1 },
  { kind: "workspaces", folders: ["workspaces"], depth: 1 },
] as const;

/** What passes in clones left or keep in the cache folder: each kind that there is anything of, with its bytes. */
export function inspectCache(env: NodeJS.ProcessEnv, home: string) {
  const path = cacheHome(env, home);
  const kept = kinds.map(({ kind, folders, depth }) => {
    const found = folders.flatMap((folder) => foldersBelow(join(path, folder), depth));
    return { kind, count: found.length, bytes: found.reduce((sum, folder) => sum + sizeOf(folder), 0) };
  });
  return { path, kept: kept.filter(({ count }) => count > 0) };
}

export function renderCache({ kept }: CacheFacts): string {
  const of = ({ kind, count, bytes }: (typeof kept)[number]) => `${kind}: ${count} (${(bytes / 1e6).toFixed(1)} MB)`;
  return kept.length === 0 ? "nothing is kept there" : kept.map(of).join(", ");
}

function foldersBelow(folder: string, depth: number): string[] {
  const own = list(folder).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []));
  return depth === 1 ? own : own.flatMap((each) => foldersBelow(each, depth - 1));
}

function sizeOf(folder: string): number {
  return list(folder).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? sizeOf(path) : (statEntry(path)?.size ?? 0));
  }, 0);
}

/** Empty for what is gone, as a pass may remove it meanwhile, and for what this user may not read. */
function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(errorCode(error))) return [];
    throw error;
  }
}

import { joinBytes, pathBytes } from "../store/path-key.ts";
import { listFiltered } from "./attributes.ts";
import { pointsTo } from "./delivered-blobs.ts";
import { listTree, type TreeEntry } from "./list-tree.ts";
import type { GitPlace } from "./place.ts";
import { insideOf, isUnder, keyInside } from "./stage.ts";

export interface ProvenCode {
  /** What a commit of exactly what was proven holds, by repo path, with submodules. */
  readonly tree: ReadonlyMap<string, TreeEntry>;
  /** The code on disk: path, relative to the repo, to `type mode digest`. */
  readonly entries: ReadonlyMap<string, string>;
  /** Absolute folders that are no code. */
  readonly leaveOut: readonly string[];
}

/** The repo paths in which the code of a commit is not what was proven. Throws TP_GIT. */
export async function findUnproven(
  place: GitPlace,
  repo: string,
  commit: string | null,
  { tree, entries, leaveOut }: ProvenCode,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const inside = insideOf(place, repo) ?? Buffer.alloc(0);
  const excluded = leaveOut.flatMap((folder) => insideOf(place, folder) ?? []).filter((folder) => folder.length > 0);
  const isCode = (path: Buffer) => isUnder(path, inside) && !excluded.some((folder) => isUnder(path, folder));
  const all = commit === null ? [] : [...(await listTree(place, commit, env))];
  const held = new Map(
    all.flatMap(([id, entry]) => {
      const path = Buffer.from(id, "latin1");
      const key = keyInside(inside, path);
      return isCode(path) ? [[key, entry] as const] : [];
    }),
  );
  const differing = [...new Set([...tree.keys(), ...held.keys()])].filter((path) => {
    const [proven, now] = [tree.get(path), held.get(path)];
    return proven?.oid !== now?.oid || proven?.mode !== now?.mode;
  });
  const fromTop = (path: string): Buffer => joinBytes(inside, pathBytes(path));
  const filtered = await listFiltered(place, differing.map(fromTop), { env });
  const unproven = [];
  for (const path of differing) {
    const [now, entry] = [held.get(path), entries.get(path)];
    // Of what git-lfs stores the commit has a pointer to these bytes.
    const isPointer =
      now !== undefined &&
      entry !== undefined &&
      filtered.has(fromTop(path).toString("latin1")) &&
      (await pointsTo(place, now.oid, entry, env));
    if (!isPointer) unproven.push(path);
  }
  return unproven.sort();
}

import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

export interface TreeEntry {
  /** 100644, 100755, 120000 for a link, 160000 for a submodule, whose `oid` is a commit. */
  readonly mode: string;
  readonly oid: string;
}

export function isFile({ mode }: TreeEntry): boolean {
  return mode === "100644" || mode === "100755";
}

/** A path in a tree, for people and for files. */
export function shownName(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}

/** By path from the top, as latin1. Throws TP_GIT. */
export async function listTree(
  place: GitPlace,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<Map<string, TreeEntry>> {
  const key = `${place.commonDir}\0${commit}`;
  if (/^[0-9a-f]{40,64}$/.test(commit) && newest?.key === key) return new Map(newest.tree);
  const { stdout } = await runGit(place, ["ls-tree", "-r", "-z", "--full-tree", commit], { env });
  const tree = parseTree(stdout);
  newest = { key, tree };
  return new Map(tree);
}

/** A commit's tree never changes, and the present and the earlier version of a work often have the same. */
let newest: { readonly key: string; readonly tree: ReadonlyMap<string, TreeEntry> } | null = null;

/** What `git ls-tree -r -z` prints. */
export function parseTree(stdout: Buffer): Map<string, TreeEntry> {
  return new Map(
    splitNul(stdout).map((line) => {
      const tab = line.indexOf(0x09);
      const [mode = "", , oid = ""] = line.toString("latin1", 0, tab).split(" ");
      return [line.toString("latin1", tab + 1), { mode, oid }];
    }),
  );
}

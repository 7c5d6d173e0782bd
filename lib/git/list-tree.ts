import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

export interface TreeEntry {
  /** 100644, 100755, 120000 for a link, 160000 for a submodule, whose `oid` is a commit. */
  readonly mode: string;
  readonly oid: string;
}

/** By path from the top, as latin1. Throws TP_GIT. */
export async function listTree(
  place: GitPlace,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<Map<string, TreeEntry>> {
  const { stdout } = await runGit(place, ["ls-tree", "-r", "-z", "--full-tree", commit], { env });
  return new Map(
    splitNul(stdout).map((line) => {
      const tab = line.indexOf(0x09);
      const [mode = "", , oid = ""] = line.toString("latin1", 0, tab).split(" ");
      return [line.toString("latin1", tab + 1), { mode, oid }];
    }),
  );
}

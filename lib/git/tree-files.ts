import type { PathChange, TreeEntry } from "./commits.ts";
import { plainSettings } from "./objects.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

/**
 * Every file, link and submodule of a commit under `folder`, which ends with a slash or is empty; paths and folder are
 * bytes as latin1. Throws TP_GIT.
 */
export async function listTreeFiles(
  place: GitPlace,
  commit: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<PathChange[]> {
  const where = folder === "" ? [] : ["--", Buffer.from(folder, "latin1").toString("utf8")];
  const { stdout } = await runGit(place, ["ls-tree", "-r", "-z", "--full-tree", commit, ...where], {
    cwd: place.top,
    env,
    extra: plainSettings,
    variables: { GIT_LITERAL_PATHSPECS: "1" },
  });
  return splitNul(stdout).map((line) => {
    const tab = line.indexOf(0x09);
    const [mode = "", , oid = ""] = line.toString("latin1", 0, tab).split(" ");
    return { path: line.toString("latin1", tab + 1), entry: { mode, oid } satisfies TreeEntry };
  });
}

/** Those of these names that are commits which are here. Throws TP_GIT. */
export async function findCommits(
  place: GitPlace,
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const { stdout } = await runGit(place, ["cat-file", "--batch-check"], {
    cwd: place.top,
    env,
    extra: plainSettings,
    input: Buffer.from(names.map((name) => `${name}\n`).join("")),
  });
  const lines = stdout.toString("latin1").split("\n");
  return new Set(lines.flatMap((line) => /^([0-9a-f]+) commit /.exec(line)?.[1] ?? []));
}

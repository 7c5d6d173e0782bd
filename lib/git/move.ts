import { join } from "node:path";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { removeAll } from "../store/folder.ts";
import { pathKey } from "../store/path-key.ts";
import { shorten } from "../text/shorten.ts";
import { listFiltered } from "./attributes.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { filterNames, readSettings } from "./settings.ts";

export type TreeMove = { readonly kind: "moved" } | { readonly kind: "refused"; readonly why: string };

/**
 * Takes index and working tree from one commit to another like a checkout: only differing paths are written. Refused,
 * with nothing touched, if one of them has uncommitted content, or if a filter would have to write it, since the runner
 * runs none. The caller moves HEAD. Throws TP_GIT.
 */
export async function moveTree(place: GitPlace, from: string, to: string, env: NodeJS.ProcessEnv): Promise<TreeMove> {
  const options = { cwd: place.top, env };
  const filtered = await findFiltered(place, from, to, env);
  if (filtered !== null) {
    const why = `a filter program of git's settings, such as git-lfs, applies to ${shorten(pathKey(Buffer.from(filtered, "latin1")), 100)}`;
    return { kind: "refused", why };
  }
  // Git compares times first: a touched file must not look changed.
  await runGit(place, ["update-index", "-q", "--refresh"], { ...options, accept: [0, 1] });
  try {
    await runGit(place, ["read-tree", "-m", "-u", from, to], options);
    return { kind: "moved" };
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return { kind: "refused", why: error.message };
  }
}

/** Throws TP_GIT. */
export async function listDiffering(
  place: GitPlace,
  from: string,
  to: string,
  env: NodeJS.ProcessEnv,
): Promise<Buffer[]> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to];
  return splitNul((await runGit(place, args, { cwd: place.top, env })).stdout);
}

/** A differing path with a filter by the attributes of either commit. */
async function findFiltered(place: GitPlace, from: string, to: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const paths = await listDiffering(place, from, to, env);
  if (paths.length === 0 || filterNames(await readSettings(place, env)).size === 0) return null;
  const scratch = makeTemporaryFolder("index");
  try {
    const variables = { GIT_INDEX_FILE: join(scratch, "index") };
    await runGit(place, ["read-tree", to], { cwd: place.top, env, variables });
    const [now, then] = await Promise.all([
      listFiltered(place, paths, { env }),
      listFiltered(place, paths, { env, variables, cached: true }),
    ]);
    return paths.map((path) => path.toString("latin1")).find((path) => now.has(path) || then.has(path)) ?? null;
  } finally {
    removeAll(scratch);
  }
}

import { TaskPhaseError } from "../report/errors.ts";
import { pathKey } from "../store/path-key.ts";
import { shorten } from "../text/shorten.ts";
import { listFiltered } from "./commit.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { type GitSettings, programsOff } from "./settings.ts";

export type TreeMove =
  | { readonly kind: "moved" }
  /** Nothing was touched; `why` says what stands in the way. */
  | { readonly kind: "refused"; readonly why: string };

/**
 * Takes index and working tree from one commit to another, as a checkout does: what differs between the two is
 * written, every other path stays as it is, changed or not. Where a path that would be written holds anything that is
 * not committed, nothing at all is touched. HEAD is the caller's. Refused as well where a filter would have to write a
 * file: its program could be a pass's. Throws TP_GIT.
 */
export async function moveTree(
  place: GitPlace,
  from: string,
  to: string,
  settings: GitSettings,
  env: NodeJS.ProcessEnv,
): Promise<TreeMove> {
  const variables = programsOff(settings);
  const options = { cwd: place.top, env, variables };
  const paths = await listDiffering(place, from, to, env);
  const filtered = await listFiltered(place, paths, settings, options);
  const first = paths.find((path) => filtered.has(path.toString("latin1")));
  if (first !== undefined) {
    return { kind: "refused", why: `a filter program of git's settings applies to ${shorten(pathKey(first), 100)}` };
  }
  // Git compares times first: a file that was only touched must not look like a person's change.
  await runGit(place, ["update-index", "-q", "--refresh"], { ...options, accept: [0, 1] });
  try {
    await runGit(place, ["read-tree", "-m", "-u", from, to], options);
    return { kind: "moved" };
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return { kind: "refused", why: error.message };
  }
}

/** The paths in which two commits differ. Throws TP_GIT. */
export async function listDiffering(
  place: GitPlace,
  from: string,
  to: string,
  env: NodeJS.ProcessEnv,
): Promise<Buffer[]> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to];
  return splitNul((await runGit(place, args, { cwd: place.top, env })).stdout);
}

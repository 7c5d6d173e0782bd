import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { machineFault } from "../store/error-code.ts";
import { removeAll } from "../store/folder.ts";
import { pathKey } from "../store/path-key.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { shorten } from "../text/shorten.ts";
import { besideObjects } from "./objects.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { findCommit as findRevision } from "./revision.ts";
import { runGit, splitNul } from "./run-git.ts";
import { codeFilter, insideOf, sortPaths } from "./stage.ts";
import { stagePaths } from "./stage-paths.ts";

/** Larger than anyone reviews; the rest is in the files. */
export const maxDiffBytes = 1024 * 1024;

type RepoDiff =
  | { readonly kind: "diff"; readonly bytes: Buffer; readonly base: string | null; readonly cut: boolean }
  | { readonly kind: "none"; readonly why: string };

/** Null without git and before the first commit. Does not throw. */
export async function headCommit(repo: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const place = findGitPlace(repo);
  return place === null ? null : findCommit(place, "HEAD", env);
}

/**
 * The repo against a commit (HEAD if that one is unknown or gone), with untracked files that are not ignored, without
 * the folders of `leaveOut`. A private index ensures that git's memory of a file, such as assume-unchanged, hides no
 * change. `scratch` is a private folder that is made and removed.
 */
export async function diffAgainst(
  repo: string,
  commit: string | null,
  { scratch, leaveOut, env }: { scratch: string; leaveOut: readonly string[]; env: NodeJS.ProcessEnv },
): Promise<RepoDiff> {
  const place = findGitPlace(repo);
  const inside = place === null ? null : insideOf(place, repo);
  if (place === null || inside === null) return { kind: "none", why: "the repo is in no git repository" };
  try {
    mkdirSync(join(scratch, "objects"), { recursive: true, mode: 0o700 });
    const known = commit === null ? null : await findCommit(place, commit, env);
    const base = known ?? (await findCommit(place, "HEAD", env));
    const variables = {
      ...besideObjects(place, join(scratch, "objects")),
      GIT_INDEX_FILE: join(scratch, "index"),
      GIT_LITERAL_PATHSPECS: "1",
    };
    const run = (args: readonly string[], extra: readonly string[] = []) =>
      runGit(place, [...args, ...extra], { env, variables });
    const tree = base ?? (await emptyTree(place, env));
    await run(base === null ? ["read-tree", "--empty"] : ["read-tree", base]);
    const list = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"];
    const { stdout } = await run(list, inside.length === 0 ? [] : ["--", inside.toString("utf8")]);
    const differing = splitNul(stdout).filter(codeFilter(place, leaveOut));
    const sorted = sortPaths(place, differing, maxDiffBytes);
    await stagePaths(place, sorted, { env, variables });
    const here = inside.length === 0 ? [] : [`--relative=${inside.toString("utf8")}/`];
    const words = ["diff-index", "-p", "--cached", "-M", "--no-color", "--no-ext-diff", "--no-textconv"];
    const diff = (await run([...words, ...here, tree, "--"])).stdout;
    const left = sorted.left.map(({ path, why }) => `# not shown: ${shorten(pathKey(path), 200)} (${why})\n`);
    return { kind: "diff", base, ...bound(Buffer.concat([diff, Buffer.from(left.join(""))])) };
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || machineFault(error) !== null) throw error;
    return { kind: "none", why: error.message };
  } finally {
    removeAll(scratch);
  }
}

async function findCommit(place: GitPlace, name: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    return await findRevision(place, name, env);
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || machineFault(error) !== null) throw error;
    return null;
  }
}

/** Depends on the hash algorithm; git knows it without storing it. */
async function emptyTree(place: GitPlace, env: NodeJS.ProcessEnv): Promise<string> {
  const args = ["hash-object", "-t", "tree", "--stdin"];
  const { stdout } = await runGit(place, args, { env, input: Buffer.alloc(0) });
  return stdout.toString("utf8").trim();
}

function bound(diff: Buffer): { bytes: Buffer; cut: boolean } {
  if (diff.length <= maxDiffBytes) return { bytes: diff, cut: false };
  const kept = diff.subarray(0, diff.lastIndexOf(0x0a, maxDiffBytes - 1) + 1);
  const line = `# cut here: ${kept.length} of ${diff.length} bytes are shown\n`;
  return { bytes: Buffer.concat([kept, Buffer.from(line)]), cut: true };
}

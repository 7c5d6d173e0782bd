import { rmSync } from "node:fs";
import { shorten } from "../text/shorten.ts";
import { isRuntime, sortPaths, stagePaths } from "./git-stage.ts";
import { type CapturedTree, maxCapturedBytes } from "./git-tree.ts";
import { joinBytes, pathBytes, pathKey } from "./path-key.ts";
import { runGit } from "./run-git.ts";

/** More than anybody reviews, and small enough to be committed with every pass. */
export const maxPatchBytes = 5 * 1024 * 1024;
/** How many of the paths that the patch cannot show are named in it. */
const maxNamed = 20;

/**
 * What was changed since the capture at these paths (`pathKey`, relative to the repo), as a unified diff that
 * `git apply` takes in the repo: untracked files, deletions, modes and links included, a binary file only named. Null
 * where nothing was. What cannot be shown is named in lines above the diff. Longer than `maxBytes`, it is cut at a
 * line, and the last line says so. The capture is used up. Throws TP_GIT.
 */
export async function makePatch(
  captured: CapturedTree,
  changedPaths: readonly string[],
  env: NodeJS.ProcessEnv,
  maxBytes = maxPatchBytes,
): Promise<Buffer | null> {
  const { place, inside, variables } = captured;
  try {
    const changed = changedPaths.map(pathBytes).filter((path) => !isRuntime(path));
    const sorted = sortPaths(
      place,
      changed.map((path) => joinBytes(inside, path)),
      maxCapturedBytes,
    );
    await stagePaths(place, sorted, { env, variables });
    // No textconv and no external diff: .git/config could name any program there.
    const args = ["diff-index", "-p", "--cached", "-M", "--no-color", "--no-ext-diff", "--no-textconv"];
    const here = inside.length === 0 ? [] : [`--relative=${inside.toString("utf8")}/`];
    const { stdout } = await runGit(place, [...args, ...here, captured.tree, "--"], { cwd: place.top, env, variables });
    const head = leftLines(sorted.left, inside.length === 0 ? 0 : inside.length + 1);
    return stdout.length === 0 && head === "" ? null : Buffer.concat([Buffer.from(head), cut(stdout, maxBytes)]);
  } finally {
    rmSync(captured.scratch, { recursive: true, force: true });
  }
}

/** `git apply` passes over lines that stand before the first file. */
function leftLines(left: readonly { readonly path: Buffer; readonly why: string }[], prefix: number): string {
  if (left.length === 0) return "";
  const names = left.slice(0, maxNamed).map(({ path, why }) => {
    return `#   ${shorten(pathKey(path.subarray(prefix)), 200)} (${why})\n`;
  });
  const more = left.length - names.length;
  return `# changed, and not shown here:\n${names.join("")}${more > 0 ? `#   and ${more} more\n` : ""}\n`;
}

function cut(diff: Buffer, maxBytes: number): Buffer {
  if (diff.length <= maxBytes) return diff;
  const kept = diff.subarray(0, diff.lastIndexOf(0x0a, maxBytes - 1) + 1);
  return Buffer.concat([kept, Buffer.from(`# cut here: ${kept.length} of ${diff.length} bytes are shown\n`)]);
}

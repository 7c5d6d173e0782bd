import { copyFileSync, mkdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../store/error-code.ts";
import { removeAll } from "../store/folder.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { insideOf, isRuntime, isUnder, sortPaths } from "./stage.ts";
import { readSources, stageEntries, writeSources } from "./stage-paths.ts";

/** The contents of a repo at one moment, as a git tree whose new objects are outside the repository. */
export interface CapturedTree {
  readonly place: GitPlace;
  /** The repo as git names it from the top of the working tree; empty for the top itself. */
  readonly inside: Buffer;
  readonly scratch: string;
  /** The name of the tree, which is written when it is asked for first. Throws TP_GIT. */
  readonly tree: () => Promise<string>;
  /** With these git writes to the index and the objects of the capture, and leaves the repository's alone. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A bigger file is not copied: nobody reads it in a patch. */
export const maxCapturedBytes = 5 * 1024 * 1024;

/**
 * Captures what is in the repo, untracked files that are not ignored included, and the folders of `leaveOut`
 * excluded. Null without git. `scratch` is a private folder that is emptied first. Throws TP_GIT and TP_DISK.
 *
 * Most passes change no code, so it copies the index and the files that differ from it, and the tree is made of them
 * when it is needed.
 *
 * For display, so git's memory of files is good enough here: a file whose times and size are those of the index is
 * not read again, and a large repo costs little. What must be true is taken by `takeFingerprint`.
 */
export async function captureTree(
  repo: string,
  scratch: string,
  leaveOut: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<CapturedTree | null> {
  const place = findGitPlace(repo);
  const inside = place === null ? null : insideOf(place, repo);
  if (place === null || inside === null) return null;
  removeAll(scratch);
  const files = join(scratch, "files");
  for (const folder of [join(scratch, "objects"), files]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyIndex(join(place.gitDir, "index"), join(scratch, "index"));
  const variables = {
    GIT_INDEX_FILE: join(scratch, "index"),
    GIT_OBJECT_DIRECTORY: join(scratch, "objects"),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(join(place.commonDir, "objects")),
    GIT_LITERAL_PATHSPECS: "1",
  };
  const excluded = leaveOut.map((folder) => insideOf(place, folder)).filter((folder) => folder !== null);
  const list = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"];
  const where = inside.length === 0 ? [] : ["--", inside.toString("utf8")];
  const { stdout } = await runGit(place, [...list, ...where], { cwd: place.top, env, variables });
  const differing = splitNul(stdout).filter((path) => !isRuntime(path) && !excluded.some((out) => isUnder(path, out)));
  const { present, gone } = sortPaths(place, differing, maxCapturedBytes);
  const options = { env, variables };
  const sources = await readSources(place, present, { scratch: files, copies: "all" }, options);
  let tree: Promise<string> | null = null;
  const writeTree = async (): Promise<string> => {
    await stageEntries(place, await writeSources(place, sources, options), gone, options);
    // A pass may have thrown objects away since, and a partial clone never had them all.
    const written = await runGit(place, ["write-tree", "--missing-ok"], { cwd: place.top, ...options });
    return written.stdout.toString("utf8").trim();
  };
  return { place, inside, scratch, tree: () => (tree ??= writeTree()), variables };
}

/** A copy that is as old as the original: git doubts a file that is as young as the index. */
export function copyIndex(from: string, to: string): void {
  try {
    const { atime, mtimeMs } = statSync(from);
    copyFileSync(from, to);
    utimesSync(to, atime, Math.floor(mtimeMs) / 1000);
  } catch (error) {
    // Before the first `git add` there is none.
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** As git wants a path in a list that is split at colons. */
function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

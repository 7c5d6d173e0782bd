import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { removeAll } from "../store/folder.ts";
import { besideObjects } from "./objects.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { codeFilter, insideOf, sortPaths } from "./stage.ts";
import { copyIndex, readSources, stageEntries, writeSources } from "./stage-paths.ts";

/** A repo at one moment, as a git tree whose new objects are outside the repository. */
export interface CapturedTree {
  readonly place: GitPlace;
  readonly inside: Buffer;
  readonly scratch: string;
  /** Written on first use. Throws TP_GIT. */
  readonly tree: () => Promise<string>;
  /** Point git to the capture's index and objects. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Larger than anyone reads in a patch. */
export const maxCapturedBytes = 5 * 1024 * 1024;

/**
 * Captures the repo with untracked files that are not ignored, without the folders of `leaveOut`. Null without git.
 * Empties `scratch`, a private folder. Copies only the index and differing files, and writes the tree when needed,
 * since most passes change no code. For display: trusts git's memory of unchanged times and sizes; the truth is
 * `takeFingerprint`. Throws TP_GIT and TP_DISK.
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
    ...besideObjects(place, join(scratch, "objects")),
    GIT_LITERAL_PATHSPECS: "1",
  };
  const list = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"];
  const where = inside.length === 0 ? [] : ["--", inside.toString("utf8")];
  const { stdout } = await runGit(place, [...list, ...where], { env, variables });
  const differing = splitNul(stdout).filter(codeFilter(place, leaveOut));
  const { present, gone } = sortPaths(place, differing, maxCapturedBytes);
  const options = { env, variables };
  const sources = await readSources(place, present, { scratch: files, copies: "all" }, options);
  let tree: Promise<string> | null = null;
  const writeTree = async (): Promise<string> => {
    await stageEntries(place, await writeSources(place, sources, options), gone, options);
    // A pass may have removed objects, and a partial clone lacks some.
    const written = await runGit(place, ["write-tree", "--missing-ok"], { ...options });
    return written.stdout.toString("utf8").trim();
  };
  return { place, inside, scratch, tree: () => (tree ??= writeTree()), variables };
}

import { join } from "node:path";
import { realOrNull } from "../store/folder.ts";
import { hashFile } from "../store/hash-file.ts";
import { pathKey } from "../store/path-key.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { excludesFile, knownSettings } from "./plain-place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { isRuntime } from "./stage.ts";

/** Rules outside the listed files count as contents too. `ignored`: what git ignores in the folder. */
export async function readIgnoreRules(
  place: GitPlace,
  folder: string,
  ignored: readonly Buffer[],
  env: NodeJS.ProcessEnv,
) {
  const ownRules = excludesFile(place, await knownSettings(place, env), env);
  // `.gitignore` files that ignore themselves, relative to the folder: git obeys them and lists them nowhere.
  const hiddenFiles = await findHiddenFiles(place, folder, ignored, env);
  // Of rule files outside the working tree, by a name under `.git/`.
  const digests = new Map<string, string>();
  for (const [name, path] of [
    [".git/info/exclude", join(place.commonDir, "info", "exclude")],
    [".git/core.excludesFile", ownRules],
  ] as const) {
    const digest = digestThroughLinks(path);
    if (digest !== null) digests.set(name, digest);
  }
  return { digests, hiddenFiles };
}

/** A .gitignore in an ignored folder, such as `node_modules/x/.gitignore`, has no effect. One beside the runner's locks has. */
async function findHiddenFiles(
  place: GitPlace,
  folder: string,
  ignored: readonly Buffer[],
  env: NodeJS.ProcessEnv,
): Promise<Buffer[]> {
  const files = ignored.filter((path) => path.toString("latin1", path.lastIndexOf(0x2f) + 1) === ".gitignore");
  const folders = new Set(
    files.flatMap((file) => (isRuntime(file) ? [] : parentOf(file))).filter((path) => path !== ""),
  );
  if (folders.size === 0) return files;
  const ignoredFolders = await findIgnored(place, folder, [...folders], env);
  return files.filter((file) => !ignoredFolders.has(parentOf(file)));
}

/** Those of these paths, as latin1 from the folder, that git ignores, or would if they were not in the index. */
export async function findIgnored(
  place: GitPlace,
  folder: string,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  // With its index git ends at a path in a submodule.
  const check = ["check-ignore", "-z", "--stdin", "--no-index"];
  const { stdout } = await runGit(place, check, { cwd: folder, env, input, accept: [0, 1] });
  return new Set(splitNul(stdout).map((path) => path.toString("latin1")));
}

function parentOf(path: Buffer): string {
  return path.subarray(0, Math.max(0, path.lastIndexOf(0x2f))).toString("latin1");
}

/** Git follows a link here, so its target counts. Null if git would find no rules. */
function digestThroughLinks(path: string): string | null {
  const real = realOrNull(path);
  if (real === null) return null;
  const hashed = hashFile(real);
  return hashed.kind === "file" ? `rules ${hashed.sha256}` : `rules ${hashed.kind}`;
}

/**
 * In the form of `pathKey` relative to the repo, without folders ignored as a whole; null without git. Throws TP_GIT.
 */
export async function listIgnoredFiles(repo: string, env: NodeJS.ProcessEnv): Promise<Set<string> | null> {
  const place = findGitPlace(repo);
  if (place === null) return null;
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const { stdout } = await runGit(place, args, { cwd: repo, env });
  const files = splitNul(stdout).filter((path) => path.at(-1) !== 0x2f);
  return new Set(files.map(pathKey));
}

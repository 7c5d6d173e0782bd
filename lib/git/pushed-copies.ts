import { createHash } from "node:crypto";
import { dirname, join, relative } from "node:path";
import { readRegularFile } from "../store/read-file.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { isPushed, remoteOf, whereGitCan } from "./remote.ts";
import { runGit } from "./run-git.ts";
import { type GitSettings, readSettings, settingOf } from "./settings.ts";

/** The last known copies of some files on the remote. */
export interface PushedCopies {
  /** As written in the settings, credentials and all; null if there is no remote. */
  readonly url: string | null;
  /** Null if no branch is checked out. */
  readonly branch: string | null;
  readonly files: readonly PushedFile[];
}

export interface PushedFile {
  /** From the top of the working tree, with `/`. */
  readonly path: string;
  /** The newest commit of the branch there, if it holds exactly the bytes that are on disk; else null. */
  readonly commit: string | null;
}

const largestFile = 16 * 1024 * 1024;

/**
 * For each of these files, absolute and of one working tree, where the remote has exactly its bytes. Null without git.
 * Starts three processes for any number of files, four if no branch is checked out; asks nothing over the network,
 * and does not throw for what git says.
 */
export async function findPushedCopies(files: readonly string[], env: NodeJS.ProcessEnv): Promise<PushedCopies | null> {
  const place = files[0] === undefined ? null : findGitPlace(dirname(files[0]));
  if (place === null) return null;
  const paths = files.map((file) => relative(place.top, file));
  return await whereGitCan(async () => {
    const [settings, branch] = await Promise.all([readSettings(place, env), currentBranch(place, env)]);
    const remote = remoteOf(settings, branch);
    const none = paths.map((path) => ({ path, commit: null }));
    if (remote === null) return { url: null, branch, files: none };
    const refs = branch === null ? ["HEAD"] : trackingRefs(settings, remote.name, branch);
    const known = branch !== null || (await isPushed(place, remote.name, env));
    return { url: remote.url, branch, files: known ? await compare(place, refs, paths, env) : none };
  });
}

async function currentBranch(place: GitPlace, env: NodeJS.ProcessEnv): Promise<string | null> {
  const end = await runGit(place, ["symbolic-ref", "-q", "HEAD"], { cwd: place.top, env, accept: [0, 1] });
  return /^refs\/heads\/(.+)$/m.exec(end.stdout.toString("utf8"))?.[1] ?? null;
}

/** The branch of the same name, and the one that it follows. */
function trackingRefs(settings: GitSettings, remote: string, branch: string): string[] {
  const follows = settingOf(settings, `branch.${branch}.remote`) === remote;
  const merge = follows ? settingOf(settings, `branch.${branch}.merge`) : null;
  const names = [branch, ...(merge?.startsWith("refs/heads/") === true ? [merge.slice("refs/heads/".length)] : [])];
  return [...new Set(names)].map((name) => `refs/remotes/${remote}/${name}`);
}

async function compare(
  place: GitPlace,
  refs: readonly string[],
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<PushedFile[]> {
  // A line break would end the question, and every answer after it would belong to another file.
  const asked = paths.filter((path) => !/\p{Cc}/u.test(path));
  const questions = refs.flatMap((ref) => [`${ref}^{commit}`, ...asked.map((path) => `${ref}:${path}`)]);
  const { stdout } = await runGit(place, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], {
    cwd: place.top,
    env,
    input: Buffer.from(`${questions.join("\n")}\n`),
  });
  const answers = stdout.toString("utf8").split("\n");
  const answer = (index: number, type: string): string | null =>
    new RegExp(`^([0-9a-f]{40,64}) ${type}$`).exec(answers[index] ?? "")?.[1] ?? null;
  const commitOf = (path: string): string | null => {
    const at = asked.indexOf(path);
    if (at < 0) return null;
    for (const [index] of refs.entries()) {
      const first = index * (asked.length + 1);
      const [commit, blob] = [answer(first, "commit"), answer(first + 1 + at, "blob")];
      if (commit !== null && blob !== null && blob === blobName(join(place.top, path), blob.length)) return commit;
    }
    return null;
  };
  return paths.map((path) => ({ path, commit: commitOf(path) }));
}

/** The name that git would give these very bytes; null if there is no such file. Its length tells the algorithm. */
function blobName(file: string, length: number): string | null {
  const read = readRegularFile(file, largestFile);
  if (read.kind !== "file") return null;
  const hash = createHash(length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${read.bytes.length}\0`).update(read.bytes).digest("hex");
}

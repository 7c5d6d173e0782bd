import { join } from "node:path";
import { takenPlace } from "../queue/views/taken-words.ts";
import { createFile } from "../store/put-file.ts";
import { cacheHome, openPrivateFolder } from "../store/state-home.ts";
import { sha256 } from "../text/sha256.ts";

/** It may be inside of a repository, as on a CI machine, where nothing of it is to be seen. Throws TP_DISK. */
export function openCache(env: NodeJS.ProcessEnv, home: string): void {
  const cache = cacheHome(env, home);
  openPrivateFolder(cache);
  createFile(join(cache, ".gitignore"), "*\n");
}

/** Of a tasks root whose passes work in clones: what is no file of the working tree. */
export function workspaceOf(cache: string, tasksRoot: string): string {
  return join(cache, "workspaces", sha256(tasksRoot).slice(0, 16));
}

export type ClaimPlace = Readonly<ReturnType<typeof claimPlace>>;

export function claimPlace(cache: string, url: string, task: string) {
  const key = sha256(url).slice(0, 16);
  const work = join(cache, "work", key);
  return {
    /** A bare repository that all tasks of the remote share: what was fetched last. */
    mirror: join(cache, "repos", `${key}.git`),
    mirrorLock: join(cache, "repos", `${key}.lock`),
    /** The working tree, made anew for each pass at one path, since the runner's notes go by paths. */
    // Not in `work`: the names there are ids with something behind them, and an id such as `A.json` looks like one.
    clone: join(cache, "clones", key, task),
    /** Where the dependencies of one pass wait for the next one. */
    carried: join(cache, "carried", key, task),
    /** What the runner noted of them when no agent had been there. */
    carriedNote: join(work, `${task}.carried`),
    /** Where the files of one checkout wait for the next one, and what the runner noted of them. */
    files: join(cache, "files", key, task),
    filesNote: join(work, `${task}.files`),
    /** What a person's own repository may not have of the clone's commits: not yet, or since a `git prune` took it. */
    objects: join(work, `${task}.objects`),
    /** Where the code is in a repository of its own: the folder of this task alone that both working trees are in. */
    pair: join(cache, "pairs", key, task),
    /** Locked as long as a run uses the working tree. */
    lock: join(work, `${task}.lock`),
    /** What the run that uses it, or one that was cut off, was about to push. */
    note: join(work, `${task}.json`),
    /** The furthest that this machine knows the task's branch to have been. */
    seen: join(cache, "seen", key, `${task}.json`),
    /** The runs of this machine that ended without settling what they had claimed. */
    ended: join(cache, "seen", key, `${task}.ended`),
    /** What was taken along from a person's working tree, if the remote is their own repository. */
    taken: takenPlace(cache, url, task),
    /** The working tree in which the merge with another branch is checked. */
    land: join(cache, "land", key, task),
    /** What a person's own repository may not have of the merge that was last landed. */
    landed: join(cache, "landed", key, task),
    /** The working tree that commands read in, if the remote is a person's own repository. */
    view: join(cache, "views", key, task),
    viewLock: join(work, `${task}.view`),
    /** Private, for git's own calls over the network. */
    scratch: join(work, `${task}.git-work`),
    /** Working trees of passes that count for nothing, if the remote takes no ref for them. */
    lost: join(cache, "lost", key, task),
  };
}

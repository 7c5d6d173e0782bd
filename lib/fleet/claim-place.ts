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

export interface ClaimPlace {
  /** A bare repository that all tasks of the remote share: what was fetched last. */
  readonly mirror: string;
  readonly mirrorLock: string;
  /** The working tree, made anew for each pass at one path, since the runner's notes go by paths. */
  readonly clone: string;
  /** Where the dependencies of one pass wait for the next one. */
  readonly carried: string;
  /** What the runner noted of them when no agent had been there. */
  readonly carriedNote: string;
  /** Where the files of one checkout wait for the next one, and what the runner noted of them. */
  readonly files: string;
  readonly filesNote: string;
  /** What a person's own repository may not have of the clone's commits: not yet, or since a `git prune` took it. */
  readonly objects: string;
  /** What it may not have of the merge that was last landed. */
  readonly landed: string;
  /** Where the code is in a repository of its own: the folder of this task alone that both working trees are in. */
  readonly pair: string;
  /** Locked as long as a run uses the working tree. */
  readonly lock: string;
  /** What the run that uses it, or one that was cut off, was about to push. */
  readonly note: string;
  /** The furthest that this machine knows the task's branch to have been. */
  readonly seen: string;
  /** The runs of this machine that ended without settling what they had claimed. */
  readonly ended: string;
  /** What was taken along from a person's working tree, if the remote is their own repository. */
  readonly taken: string;
  /** The working tree that commands read in, if the remote is a person's own repository. */
  readonly view: string;
  readonly viewLock: string;
  /** The working tree in which the merge with another branch is checked. */
  readonly land: string;
  /** Private, for git's own calls over the network. */
  readonly scratch: string;
  /** Working trees of passes that count for nothing, if the remote takes no ref for them. */
  readonly lost: string;
}

export function claimPlace(cache: string, url: string, task: string): ClaimPlace {
  const key = sha256(url).slice(0, 16);
  const work = join(cache, "work", key);
  return {
    mirror: join(cache, "repos", `${key}.git`),
    mirrorLock: join(cache, "repos", `${key}.lock`),
    // Not in `work`: the names there are ids with something behind them, and an id such as `A.json` looks like one.
    clone: join(cache, "clones", key, task),
    carried: join(cache, "carried", key, task),
    carriedNote: join(work, `${task}.carried`),
    files: join(cache, "files", key, task),
    filesNote: join(work, `${task}.files`),
    objects: join(work, `${task}.objects`),
    pair: join(cache, "pairs", key, task),
    lock: join(work, `${task}.lock`),
    note: join(work, `${task}.json`),
    seen: join(cache, "seen", key, `${task}.json`),
    ended: join(cache, "seen", key, `${task}.ended`),
    taken: takenPlace(cache, url, task),
    land: join(cache, "land", key, task),
    landed: join(cache, "landed", key, task),
    view: join(cache, "views", key, task),
    viewLock: join(work, `${task}.view`),
    scratch: join(work, `${task}.git-work`),
    lost: join(cache, "lost", key, task),
  };
}

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bareAt, findGitPlace, type GitPlace } from "../git/place.ts";
import type { AheadTask } from "../queue/views/root-view.ts";
import { realOr, removeAll } from "../store/folder.ts";
import { type FileLock, tryLock } from "../store/lock.ts";
import { pathPrefix } from "../store/path-key.ts";
import { putFile } from "../store/put-file.ts";
import { readText } from "../store/read-file.ts";
import { cacheHome, openPrivateFolder } from "../store/state-home.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { lockedError } from "../text/errors.ts";
import { type ClaimPlace, claimPlace, openCache } from "./claim-place.ts";
import { makeClone, stoppedError } from "./clone.ts";

/** What this process reads: nobody replaces it until the process ends. */
const reading = new Map<string, FileLock>();
const pauseMs = 200;
/** A large working tree takes a while to be made. */
const longestWaitMs = 60_000;

/**
 * The task folder as its branch has it, for commands that only read: a working tree that stays until the branch moves,
 * since people open the pages in it. Throws TP_GIT, TP_STOPPED, and a locked error if other calls use it for too long.
 */
export async function openViewClone(
  tree: GitPlace,
  { id, ref, commit, path }: Pick<AheadTask, "id" | "ref" | "commit" | "path">,
  { env, home, signal }: Pick<PassPorts, "env" | "home" | "signal">,
): Promise<string> {
  const { view, viewLock } = claimPlace(cacheHome(env, home), tree.commonDir, id);
  openCache(env, home);
  openPrivateFolder(dirname(viewLock));
  const makeView = async () => {
    const mirror = { place: bareAt(tree.commonDir) };
    const made = await makeClone({ folder: view, mirror, url: null, ref, commit, raw: pathPrefix(path), env, signal });
    putFile(join(made.git.gitDir, viewName), commit);
  };
  for (const end = performance.now() + longestWaitMs; ; ) {
    const shared = reading.get(view) ?? tryLock(viewLock, "shared");
    if (shared !== null && isOf(view, commit)) {
      reading.set(view, shared);
      return join(view, path);
    }
    shared?.release();
    reading.delete(view);
    if (signal.aborted) throw stoppedError(signal, "before the working tree of the branch could be read");
    if (performance.now() >= end)
      throw lockedError("TP_LOCKED", "other calls use the working tree of the branch", {
        file: view,
        fix: "wait for them to end, then try again",
      });
    const alone = tryLock(viewLock);
    if (alone === null) await sleep(pauseMs);
    else await makeView().finally(() => alone.release());
  }
}

/** Removes it unless another call reads in it; a later sweep does then. */
export function dropView({ view, viewLock }: ClaimPlace): void {
  if (!existsSync(view)) return;
  reading.get(view)?.release();
  reading.delete(view);
  openPrivateFolder(dirname(viewLock));
  const alone = tryLock(viewLock);
  if (alone === null) return;
  try {
    removeAll(view);
  } finally {
    alone.release();
  }
}

function isOf(view: string, commit: string): boolean {
  const there = existsSync(view) ? findGitPlace(view) : null;
  return there !== null && there.top === realOr(view) && readText(join(there.gitDir, viewName), 4096) === commit;
}

/** Written last, so that a half-made working tree does not count. */
const viewName = "task-phase-view";

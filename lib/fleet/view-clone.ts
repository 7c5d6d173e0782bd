import { existsSync } from "node:fs";
import { join } from "node:path";
import { findGitPlace, type GitPlace } from "../git/place.ts";
import type { AheadTask } from "../queue/views/root-view.ts";
import { pathPrefix } from "../store/path-key.ts";
import { putFile } from "../store/put-file.ts";
import { readText } from "../store/read-file.ts";
import { cacheHome } from "../store/state-home.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { claimPlace, openCache } from "./claim-place.ts";
import { makeClone } from "./clone.ts";
import { storeOf } from "./local-work.ts";

/**
 * The task folder as its branch has it, for commands that only read: a working tree that stays until the branch moves,
 * since people open the pages in it. Throws TP_GIT, and a locked error while another call makes it.
 */
export async function openViewClone(
  tree: GitPlace,
  { id, ref, commit, path }: AheadTask,
  { env, home, signal }: Pick<PassPorts, "env" | "home" | "signal">,
): Promise<string> {
  const { view } = claimPlace(cacheHome(env, home), tree.commonDir, id);
  const there = existsSync(view) ? findGitPlace(view) : null;
  const isNewest = there !== null && there.top === view && readText(join(there.gitDir, viewName), 4096) === commit;
  if (!isNewest) {
    openCache(env, home);
    const mirror = { place: storeOf(tree) };
    const made = await makeClone({ folder: view, mirror, url: null, ref, commit, raw: pathPrefix(path), env, signal });
    putFile(join(made.git.gitDir, viewName), commit);
  }
  return join(view, path);
}

/** Written last, so that a half-made working tree does not count. */
const viewName = "task-phase-view";

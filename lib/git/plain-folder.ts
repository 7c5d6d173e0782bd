import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTemporaryFolder, sweepTemporaryFolders } from "../process/temporary-folder.ts";
import { atEnd } from "../store/at-end.ts";
import { storeError } from "../store/error-code.ts";
import { removeAll, statEntry } from "../store/folder.ts";
import { addTo } from "../text/add-to.ts";
import { withCleanUp } from "../text/errors.ts";

export type Links = readonly (readonly [name: string, target: string])[];

/** Some ten entries to make and remove cost more than most calls of git, so they stay for the next one of this command. */
const free = new Map<string, { readonly path: string; readonly seen: string }[]>();
/** A loop sees many repositories. */
const mostFree = 20;

/**
 * A common folder of the runner's for calls of git, with this settings file and these links, and nothing else: one of
 * before, if nothing was written to it since, or a new one. `isKept`: another call may get it. Throws TP_DISK.
 */
export function openPlainFolder(config: string, links: Links, isKept: boolean) {
  if (!isKept) {
    const path = makeFolder(config, links);
    return { path, close: () => removeAll(path) };
  }
  const key = JSON.stringify([config, links]);
  const kept = free.get(key)?.pop();
  const isSame = kept !== undefined && stampOf(kept.path) === kept.seen;
  if (kept !== undefined && !isSame) removeAll(kept.path);
  const path = isSame ? kept.path : makeFolder(config, links);
  const seen = isSame ? kept.seen : stampOf(path);
  return {
    path,
    close: () => {
      if (stampOf(path) !== seen) removeAll(path);
      else addTo(free, key, { path, seen });
      atEnd(dropAll);
      if ([...free.values()].flat().length > mostFree) dropAll();
    },
  };
}

/** An entry's ctime cannot be set back; a link cannot be changed, only be replaced in its folder. */
function stampOf(path: string): string {
  const parts = [path, join(path, "config"), join(path, "info")].map((each) => statEntry(each));
  return parts.map((stats) => (stats === null ? "gone" : `${stats.ino} ${stats.mode} ${stats.ctimeMs}`)).join(", ");
}

function dropAll(): void {
  const left = [...free.values()].flat();
  free.clear();
  try {
    for (const { path } of left) removeAll(path);
    sweepTemporaryFolders();
  } catch {
    // A later call sweeps what this one leaves.
  }
}

function makeFolder(config: string, links: Links): string {
  let made: string | null = null;
  try {
    made = makeTemporaryFolder("git");
    writeFileSync(join(made, "config"), config);
    mkdirSync(join(made, "info"));
    for (const [name, target] of links) symlinkSync(target, join(made, name));
    return made;
  } catch (error) {
    const first = storeError("make git's folder in", tmpdir(), error);
    const folder = made;
    throw folder === null ? first : withCleanUp(first, () => removeAll(folder));
  }
}

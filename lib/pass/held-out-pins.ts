import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { digestHeldOut, type PinnedCheck } from "../proof/held-out.ts";
import { configError } from "../report/errors.ts";
import type { HeldOutCheck } from "../task-folder/contract.ts";
import type { TaskSession } from "./session.ts";
import type { TaskPlace } from "./task-place.ts";

/** The folder of a held-out check, as an absolute path. */
export function heldOutFolder({ taskDir }: Pick<TaskPlace, "taskDir">, check: HeldOutCheck): string {
  return resolve(taskDir, check.folder);
}

/**
 * The digest of each held-out folder, by the name of its check. A config error if a folder is not there, cannot be
 * read, or lies where a pass can write.
 */
export function pinHeldOut(place: TaskPlace, repo: string, checks: readonly HeldOutCheck[]): Record<string, string> {
  return Object.fromEntries(
    checks.map((check) => {
      const folder = heldOutFolder(place, check);
      const inside = [repo, place.tasksRoot].find((root) => isUnder(realOr(folder), root));
      if (inside !== undefined)
        throw refused(
          place,
          check,
          `lies inside ${inside}, where the agent sees it`,
          "keep it outside the repo and the tasks root",
        );
      const digest = digestHeldOut(folder);
      if (digest === null)
        throw refused(
          place,
          check,
          "is no folder that can be read, or holds more than 20,000 files",
          "correct the path, relative to the task folder",
        );
      return [check.name, digest];
    }),
  );
}

/** The held-out checks with their folders, if all of them are as they were pinned; else what is not. */
export function heldOutNow(
  { place, history }: Pick<TaskSession, "place" | "history">,
  checks: readonly HeldOutCheck[],
): { readonly checks: readonly PinnedCheck[]; readonly problem: string | null } {
  const found = checks.map((check) => ({
    ...check,
    folder: heldOutFolder(place, check),
    digest: history.heldOut[check.name] ?? "",
  }));
  const moved = found.filter(({ folder, digest }) => digest !== digestHeldOut(folder));
  if (moved.length === 0) return { checks: found, problem: null };
  const names = moved.map(({ name }) => name).join(", ");
  return { checks: [], problem: `the held-out files of ${names} are not those of pass 1` };
}

function refused(place: TaskPlace, { name, folder }: HeldOutCheck, what: string, fix: string): Error {
  return configError("TP_HELD_OUT", `the folder of the held-out check ${name} ${what}: ${folder}`, {
    file: place.readme,
    fix,
  });
}

function isUnder(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

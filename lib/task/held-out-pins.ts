import { resolve } from "node:path";
import type { HeldOutCheck } from "../documents/contract.ts";
import { isUnder } from "../process/bwrap.ts";
import { realOr } from "../store/folder.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { errorFinding, type Finding } from "../text/finding.ts";
import { digestHeldOut, type PinnedCheck } from "./held-out.ts";
import type { TaskPlace } from "./records/task-place.ts";
import type { TaskSession } from "./session.ts";

type Place = Pick<TaskPlace, "readme" | "taskDir" | "tasksRoot">;

/** The folder of a held-out check, as an absolute path. */
export function heldOutFolder({ taskDir }: Pick<TaskPlace, "taskDir">, check: HeldOutCheck): string {
  return resolve(taskDir, check.folder);
}

/** An error for each held-out check whose folder is not there, cannot be read, or lies where the agent sees it. */
export function judgeHeldOut(place: Place, repo: string, checks: readonly HeldOutCheck[]): Finding[] {
  return checks.flatMap((check) => {
    const found = readHeldOut(place, repo, check);
    return found.kind === "refused" ? [found.finding] : [];
  });
}

/** The digest of each held-out folder, by the name of its check. A config error with what `judgeHeldOut` finds. */
export function pinHeldOut(place: Place, repo: string, checks: readonly HeldOutCheck[]): Record<string, string> {
  const findings: Finding[] = [];
  const digests: Record<string, string> = {};
  for (const check of checks) {
    const found = readHeldOut(place, repo, check);
    if (found.kind === "refused") findings.push(found.finding);
    else digests[check.name] = found.digest;
  }
  if (findings.length > 0) throw new TaskPhaseError("config", findings);
  return digests;
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

type ReadHeldOut =
  | { readonly kind: "read"; readonly digest: string }
  | { readonly kind: "refused"; readonly finding: Finding };

function readHeldOut(place: Place, repo: string, check: HeldOutCheck): ReadHeldOut {
  const refuse = (what: string, fix: string): ReadHeldOut => {
    const message = `the folder of the held-out check ${check.name} ${what}: ${check.folder}`;
    return { kind: "refused", finding: errorFinding("TP_HELD_OUT", message, { file: place.readme, fix }) };
  };
  const folder = heldOutFolder(place, check);
  const roots = [repo, place.tasksRoot];
  const real = realOr(folder);
  const inside = roots.find((root) => isUnder(real, [root]));
  if (inside !== undefined)
    return refuse(`is inside ${inside}, where the agent can see it`, "keep it outside the repo and the tasks root");
  const around = roots.find((root) => isUnder(root, [real]));
  if (around !== undefined)
    return refuse(`contains ${around}, where the agent works`, "name a folder that holds only the held-out files");
  const digest = digestHeldOut(folder);
  if (digest !== null) return { kind: "read", digest };
  return refuse(
    "is not a readable folder, or has more than 20,000 files",
    "correct the path, relative to the task folder",
  );
}

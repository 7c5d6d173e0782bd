import { chmodSync, constants, copyFileSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskError } from "../../text/errors.ts";

export type OverlayStep =
  | { readonly kind: "copy"; readonly from: string; readonly to: string; readonly mode: number }
  | { readonly kind: "delete"; readonly to: string };

type OverlayPlan =
  | { readonly kind: "plan"; readonly steps: readonly OverlayStep[] }
  | { readonly kind: "refused"; readonly reason: string };

const deleteSuffix = ".delete";

/**
 * The steps that lay `source` over `target`: copies each file, and deletes NAME for an empty file `NAME.delete`.
 * Refuses links, special files, and targets below links. Writes nothing yet. A missing source means nothing.
 */
export function planOverlay(source: string, target: string): OverlayPlan {
  const steps: OverlayStep[] = [];
  const walk = (folder: string, into: string): string | null => {
    if (!["absent", "folder"].includes(typeOf(into)))
      return `${into} is not a folder, so a recorded one cannot be copied over it`;
    for (const name of readdirSync(folder).sort()) {
      const from = join(folder, name);
      const type = typeOf(from);
      const problem = type === "folder" ? walk(from, join(into, name)) : null;
      if (problem !== null) return problem;
      if (type === "other") return `${from} is neither a file nor a folder: recordings cannot contain links`;
      if (type === "file") steps.push(stepFor(from, join(into, name)));
    }
    return null;
  };
  try {
    const type = typeOf(source);
    if (type === "absent") return { kind: "plan", steps };
    const reason = type === "folder" ? walk(source, target) : `${source} should be a folder`;
    return reason === null ? { kind: "plan", steps } : { kind: "refused", reason };
  } catch (failure) {
    return { kind: "refused", reason: (failure as Error).message };
  }
}

/** Files appear whole; what is in their place, even a link, is replaced. Throws errors of the disk. */
export function applyOverlay(steps: readonly OverlayStep[]): void {
  for (const step of steps) {
    try {
      applyStep(step);
    } catch (failure) {
      const message = `A recorded file could not be put in place: ${(failure as Error).message}. Check the folder's permissions and free space.`;
      throw diskError("TP_DISK", message, { file: step.to }, failure);
    }
  }
}

function applyStep(step: OverlayStep): void {
  if (step.kind === "delete") {
    rmSync(step.to, { recursive: true, force: true });
    return;
  }
  mkdirSync(dirname(step.to), { recursive: true });
  const half = join(dirname(step.to), `.task-phase-replay-${process.pid}.tmp`);
  rmSync(half, { force: true });
  copyFileSync(step.from, half, constants.COPYFILE_EXCL);
  chmodSync(half, step.mode);
  if (typeOf(step.to) === "folder") rmSync(step.to, { recursive: true });
  renameSync(half, step.to);
}

function stepFor(from: string, to: string): OverlayStep {
  const { mode, size } = lstatSync(from);
  if (size === 0 && to.endsWith(deleteSuffix)) return { kind: "delete", to: to.slice(0, -deleteSuffix.length) };
  return { kind: "copy", from, to, mode: mode & 0o777 };
}

function typeOf(path: string): "absent" | "file" | "folder" | "other" {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "absent";
  if (stats.isDirectory()) return "folder";
  return stats.isFile() ? "file" : "other";
}

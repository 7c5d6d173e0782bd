import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Finding, warningFinding } from "../../report/finding.ts";
import { storeError } from "../../store/error-code.ts";

export interface ScratchEnd<Value> {
  readonly value: Value;
  /** A warning if the folder could not be removed. */
  readonly findings: readonly Finding[];
}

/** Gives the work an empty folder, mode 0700, and always removes it. Throws TP_DISK. */
export async function inScratch<Value>(
  work: (folder: string) => Promise<Value>,
  remove: (folder: string) => boolean = removeFolder,
): Promise<ScratchEnd<Value>> {
  const folder = makeFolderIn(tmpdir(), "task-phase-scratch-");
  let removed = false;
  let value: Value;
  try {
    value = await work(folder);
  } finally {
    removed = remove(folder);
  }
  return { value, findings: removed ? [] : [leftFolder(folder)] };
}

function leftFolder(folder: string): Finding {
  return warningFinding("TP_SCRATCH_LEFT", "a program left files here that could not be removed", {
    file: folder,
    fix: "remove that folder",
  });
}

/** An empty folder, mode 0700. Throws TP_DISK. */
export function makeFolderIn(folder: string, prefix: string): string {
  try {
    return mkdtempSync(join(folder, prefix));
  } catch (error) {
    throw storeError("make a folder in", folder, error);
  }
}

/** Promise.all that settles all work before it fails. */
export async function runAll<Value>(work: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** False if something is left. */
export function removeFolder(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
    return true;
  } catch {
    return false;
  }
}

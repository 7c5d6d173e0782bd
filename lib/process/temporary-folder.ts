import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { orElse } from "../text/attempt.ts";
import { ownGroup, removeGroup } from "./control-group.ts";
import { isRunning } from "./identity.ts";

/** A private folder named after its runner, so that later runs recognise one left by a kill. */
export function makeTemporaryFolder(purpose: "git" | "index" | "links" | "branches" | "prove"): string {
  return mkdtempSync(join(tmpdir(), `task-phase-${purpose}-${pidNamespace()}-${process.pid}-`));
}

/** The names of these short-lived folders, whichever process made them. */
export const temporaryName = /^task-phase-(?:git|index|links|branches)-/;

/** Paths of files in these folders and in those of passes, from the folder that holds them all. */
export const inTemporaryFolder = /^task-phase-(?:(?:git|index|links|branches|prove)-\d+-\d+|[\da-f]{16})-\w{6}\//;

/** Removes those of killed runners, not those of living ones, other users or other pid namespaces. */
export function sweepTemporaryFolders(): void {
  removeTemporaryFolders(isLeftOf("git|index|links|branches"));
}

/** Folders of killed calls of `prove`, as absolute paths. */
export function listLeftProofs(): string[] {
  return listOwn(isLeftOf("prove"));
}

function isLeftOf(purposes: string): (name: string) => boolean {
  const own = new RegExp(`^task-phase-(?:${purposes})-${pidNamespace()}-(\\d+)-`);
  return (name) => {
    const pid = own.exec(name)?.[1];
    return pid !== undefined && !isRunning(Number(pid));
  };
}

/** Removes this user's temporary folders with such names, but for what cannot be removed. */
export function removeTemporaryFolders(isLeft: (name: string) => boolean): void {
  for (const path of listOwn(isLeft)) {
    // A later call tries again what cannot be removed.
    orElse(() => rmSync(path, { recursive: true, force: true }), undefined);
  }
}

function listOwn(isLeft: (name: string) => boolean): string[] {
  const user = process.geteuid?.();
  return listQuietly(tmpdir())
    .filter(isLeft)
    .map((name) => join(tmpdir(), name))
    .filter((path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats?.isDirectory() === true && (user === undefined || stats.uid === user);
    });
}

/** Pids of another namespace mean nothing here. `0` without /proc. */
export function pidNamespace(): string {
  return orElse(() => /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0", "0");
}

/** Removes empty groups of killed runners, even without notes. The kernel protects groups in use. */
export function sweepGroups(): void {
  const parent = ownGroup();
  if (parent === null) return;
  for (const name of listQuietly(parent)) {
    const pid = /^task-phase-(?:keepalive-.+-(\d+)-\d+|probe-(\d+))$/.exec(name)?.slice(1).find(Boolean);
    if (pid !== undefined && !isRunning(Number(pid))) removeGroup(join(parent, name));
  }
}

function listQuietly(folder: string): readonly string[] {
  return orElse(() => readdirSync(folder), []);
}

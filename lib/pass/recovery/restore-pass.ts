import { lstatSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { passPath } from "../../documents/pass-pack.ts";
import type { Tamper } from "../../rules/facts.ts";
import { statEntry } from "../../store/folder.ts";
import { listWrittenOf } from "../../store/state-home.ts";
import { isDebris, removeDebris } from "../../store/temporary-file.ts";
import { listReadable } from "../../store/walk.ts";
import { compareAndRestore, type Guard } from "../../task/guard/guard.ts";
import { findPins, withBytes } from "../../task/guard/protected-paths.ts";
import { guardedPaths } from "../../task/guarded-paths.ts";
import type { Anchor } from "../../task/records/anchor.ts";
import type { CurrentPass } from "../../task/records/anchor-shapes.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { passFolder, type TaskPlace } from "../../task/records/task-place.ts";
import { openHeld } from "../../task/session.ts";

/** Everything but what the killed run itself may have written. */
export function restoreFrom(
  place: TaskPlace,
  anchor: Anchor,
  current: CurrentPass,
  ports: PassPorts,
): readonly Tamper[] {
  const guard: Guard = {
    place,
    anchor,
    current,
    ports,
    pins: { repo: current.repo, globs: [], digests: {}, entries: {} },
    ownOutputs: ownOutputs(place, current),
  };
  const repoThere = lstatSync(current.repo, { throwIfNoEntry: false })?.isDirectory() === true;
  const restored = restoreAll(guard).filter((tamper) => !isLostName(current, tamper));
  const { pinned } = openHeld(place, anchor, ports).history;
  if (pinned === null || !repoThere) return restored;
  // Like `clearRuntimeLeft`, for the folders of protected paths. The caller has the lock of the repo.
  const folders = Object.keys(pinned).map((path) => dirname(join(current.repo, path)));
  for (const folder of new Set(folders)) clearFolder(folder);
  const pins = withBytes(findPins(current.repo, current.protected_globs, pinned), anchor);
  return [...restored, ...restoreAll({ ...guard, pins })];
}

/** What the runner made before the model was called, and need not have been durable: a power cut may have taken it. */
function isLostName({ pass }: CurrentPass, { path, change, restored }: Tamper): boolean {
  const folder = passPath(pass);
  const made = [folder, join(folder, "prompt.md"), join(folder, "STATE.before.md")];
  return restored && change === "removed" && made.includes(path);
}

/** Until the last comparison nothing is the runner's: a pass can forge what the runner writes later, and kill it. */
function ownOutputs(place: TaskPlace, current: CurrentPass): (path: string) => boolean {
  if (current.step !== "checkpoint") return () => false;
  const folder = passFolder(place, current.pass);
  const names = [
    "",
    "pass.json",
    "tickets.md",
    "stdout.log",
    "stderr.log",
    "STATE.proposed.md",
    "validators",
    "validators-2",
    "before",
    "proof",
    "reviews",
    "kept",
  ];
  return (path) => {
    if (path === place.evidence) return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
    return path === place.page || path === place.summary || names.includes(relative(folder, path).split(sep)[0] ?? "");
  };
}

/** SUMMARY.md is written just before a task is done; this one is not. */
export function restoreSummary(place: TaskPlace, anchor: Anchor, current: CurrentPass): void {
  const paths = guardedPaths(place, current.config_paths, current.repo);
  const change = anchor.store.compare(current.manifest, paths).find(({ path }) => path === place.summary);
  if (change !== undefined) anchor.store.restore(change, null);
}

function restoreAll(guard: Guard): Tamper[] {
  const { tampering, putBack } = compareAndRestore(guard, "model");
  return [...tampering, ...putBack];
}

/** Removes temporary files of killed runs, in folders that only the holder of the task's lock writes to. */
export function clearDebris(place: TaskPlace, anchor: Anchor): void {
  for (const folder of [...listWrittenOf(anchor.folder), place.taskDir, place.artifacts]) clearFolder(folder);
  if (statEntry(place.passes)?.isDirectory() === true) clearTree(place.passes);
  // Other runs write no more than one file there, and none once it is there.
  const locks = join(place.runtime, "locks");
  if (statEntry(join(locks, ".gitignore")) !== null) clearFolder(locks);
}

/** A link in the place is not followed. */
function clearFolder(folder: string): void {
  if (statEntry(folder)?.isDirectory() === true) removeDebris(folder);
}

/** Looks once into each folder: a task has some for every pass. */
function clearTree(folder: string): void {
  const entries = listReadable(folder);
  if (entries.some(({ name }) => isDebris(name))) removeDebris(folder);
  for (const entry of entries) if (entry.isDirectory()) clearTree(join(folder, entry.name));
}

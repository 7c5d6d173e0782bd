import { basename, join, relative } from "node:path";
import {
  changelogFolder,
  clearRuntimeDebris,
  isRuntimeFile,
  lockRuntime,
  readRuntimeBytes,
} from "../models/runtime-files.ts";
import { lookAt } from "../store/folder.ts";
import type { FileLock } from "../store/lock.ts";
import { describeEntry } from "../store/manifest.ts";
import { pathBytes } from "../store/path-key.ts";
import { isDebris } from "../store/put-file.ts";
import type { ManifestEntry, PathChange } from "../store/snapshot.ts";
import type { Guard } from "./guard.ts";
import { runtimeOf } from "./runtime-place.ts";
import { stands } from "./task-place.ts";

/**
 * Acts on the changes that this pass must answer for. Runners of other tasks write cooldowns, the last model and
 * changelogs at the same time: what stands in the mirror as it stands there is theirs, and is let be. Anything else is
 * to be put back to what the mirror has, which is newer than what the pass began with. `act` may put it back: nobody
 * writes there while it runs.
 */
export function withoutOthersNotes<Value>(
  guard: Guard,
  changes: readonly PathChange[],
  act: (changes: readonly PathChange[]) => Value,
): Value {
  const runtime = runtimeOf(guard.place, guard.ports);
  // Where there is no mirror, the copies of the pass itself are all there is.
  if (!stands(runtime.mirror) || !changes.some(({ path }) => isInside(runtime.folder, path))) return act(changes);
  const lock = lockQuietly(guard);
  try {
    clearRuntimeDebris(runtime.folder);
    return act(changes.flatMap((change) => judgeChange(guard, change) ?? []));
  } finally {
    lock?.release();
  }
}

/** What an agent left in the place of the lock must not hide what it did. */
function lockQuietly({ place, ports }: Guard): FileLock | null {
  const runtime = runtimeOf(place, ports);
  if (lookAt(runtime.folder)?.isDirectory() !== true) return null;
  try {
    return lockRuntime(runtime);
  } catch {
    return null;
  }
}

/** Null where it is another runner's work, or gone by now. */
function judgeChange(guard: Guard, change: PathChange): PathChange | null {
  const runtime = runtimeOf(guard.place, guard.ports);
  if (!isInside(runtime.folder, change.path)) return change;
  const now = describeEntry(pathBytes(change.path));
  if (now === null && (change.was === null || isDebris(basename(change.path)))) return null;
  const name = relative(runtime.folder, change.path);
  if (name === changelogFolder) {
    const theirs = change.was === null && now?.type === "folder" && stands(join(runtime.mirror, name));
    return theirs ? null : { ...change, now };
  }
  if (!isRuntimeFile(name)) return { ...change, now };
  const mirrored = readRuntimeBytes(runtime.mirror, name);
  const bytes = readRuntimeBytes(runtime.folder, name);
  const sameMode = change.was === null || change.was.type !== "file" || change.was.mode === now?.mode;
  if (mirrored === null ? now === null : bytes?.equals(mirrored) === true && sameMode) return null;
  return {
    ...change,
    change: nameChange(change, now),
    was: mirrored === null ? null : keepMirrored(guard, change),
    now,
  };
}

/** The mirror's entry, its bytes kept where they can be put back from. */
function keepMirrored({ anchor, place, ports }: Guard, { path, was }: PathChange): ManifestEntry | null {
  const runtime = runtimeOf(place, ports);
  const mirrored = join(runtime.mirror, relative(runtime.folder, path));
  const entry = anchor.store.record([mirrored], { skip: () => false }).entries[mirrored];
  return entry === undefined ? null : { ...entry, mode: was?.type === "file" ? was.mode : 0o644 };
}

function nameChange({ was, change }: PathChange, now: ManifestEntry | null): PathChange["change"] {
  if (now === null) return "removed";
  return was === null ? "added" : change;
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`);
}

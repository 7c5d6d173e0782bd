import { basename, join, relative } from "node:path";
import type { PathChange } from "../../store/compare-manifest.ts";
import { readEntry } from "../../store/manifest.ts";
import { pathBytes } from "../../store/path-key.ts";
import type { ManifestEntry } from "../../store/snapshot.ts";
import { isDebris } from "../../store/temporary-file.ts";
import type { Anchor } from "../records/anchor.ts";
import type { PassPorts } from "../records/ports.ts";
import { stands, type TaskPlace } from "../records/task-place.ts";
import {
  changelogFolder,
  clearRuntimeDebris,
  isRuntimeFile,
  lockRuntime,
  type RuntimeFiles,
  readRuntimeBytes,
  runsFolder,
} from "../runtime-files.ts";
import { runtimeOf } from "../runtime-place.ts";

/**
 * Acts on the changes that this pass answers for. Other runners write cooldowns, the last model and changelogs
 * meanwhile: a file that matches the state folder is theirs. Anything else is restored to the state folder's version,
 * which is newer than the pass's beginning. `act` restores while no other runner writes there.
 */
export function withoutOthersNotes<Value>(
  {
    place,
    anchor,
    ports,
  }: { readonly place: TaskPlace; readonly anchor: Anchor; readonly ports: Pick<PassPorts, "env" | "home"> },
  changes: readonly PathChange[],
  act: (changes: readonly PathChange[]) => Value,
): Value {
  const files = runtimeOf(place, ports);
  const isRuntime = ({ path }: PathChange) => path.startsWith(`${files.folder}/`);
  // Before the first notes, only the pass's own copies exist.
  if (!stands(files.own) || !changes.some(isRuntime)) return act(changes);
  const lock = lockRuntime(files);
  try {
    clearRuntimeDebris(files.folder);
    return act(changes.flatMap((change) => (isRuntime(change) ? (judgeChange(files, anchor, change) ?? []) : change)));
  } finally {
    lock?.release();
  }
}

function judgeChange(files: RuntimeFiles, anchor: Anchor, change: PathChange): PathChange | null {
  const { path, was } = change;
  const now = readEntry(pathBytes(path));
  if (now === null && (was === null || isDebris(basename(path)))) return null;
  const name = relative(files.folder, path);
  if (
    (name === changelogFolder || name === runsFolder) &&
    was === null &&
    now?.type === "folder" &&
    stands(join(files.own, name))
  )
    return null;
  if (!isRuntimeFile(name)) return { ...change, now };
  const truth = readRuntimeBytes(files.own, name);
  const sameMode = was?.type !== "file" || was.mode === now?.mode;
  const same = truth === null ? now === null : readRuntimeBytes(files.folder, name)?.equals(truth) === true && sameMode;
  if (same) return null;
  const kind = now === null ? "removed" : was === null ? "added" : change.change;
  return { ...change, change: kind, was: truth === null ? null : saveTruth(files, anchor, change), now };
}

/** The state folder's version, with its bytes kept for the restore. */
function saveTruth(files: RuntimeFiles, { store }: Anchor, { path, was }: PathChange): ManifestEntry | null {
  const own = join(files.own, relative(files.folder, path));
  const entry = store.record([own], { skip: () => false }).entries[own];
  return entry === undefined ? null : { ...entry, mode: was?.type === "file" ? was.mode : 0o644 };
}

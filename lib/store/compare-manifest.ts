import {
  ancestorsOf,
  type Manifest,
  type ManifestEntry,
  type ManifestOptions,
  passageAt,
  sameEntry,
  sameKind,
  scanRoots,
} from "./manifest.ts";
import { pathBytes } from "./path-key.ts";

export interface PathChange {
  readonly path: string;
  /** `replaced`: by an entry of another kind. */
  readonly change: "added" | "removed" | "changed" | "replaced";
  readonly was: ManifestEntry | null;
  readonly now: ManifestEntry | null;
}

export function compareManifest(manifest: Manifest, given: ManifestOptions): PathChange[] {
  const changes: PathChange[] = [];
  const was = new Map(Object.entries(manifest.entries));
  for (const [path, entry] of was) {
    if (entry.passage !== true) continue;
    const now = passageAt(path);
    if (!isMoved(entry, path)) continue;
    // If it is gone, each recorded entry below it is reported instead.
    if (now !== null && hasRecorded(manifest, path)) changes.push({ path, change: "replaced", was: entry, now });
  }
  const now = scanRoots(manifest.roots, given, (root) =>
    ancestorsOf(root).some((path) => isMoved(was.get(path), path)),
  );
  return [...changes, ...diffEntries(was, now)].sort(parentsFirst);
}

export function diffEntries(
  was: ReadonlyMap<string, ManifestEntry>,
  now: ReadonlyMap<string, ManifestEntry>,
): PathChange[] {
  return [...new Set([...was.keys(), ...now.keys()])].flatMap((path): PathChange[] => {
    const [before, after] = [was.get(path) ?? null, now.get(path) ?? null];
    if (before?.passage === true || sameEntry(before, after)) return [];
    return [{ path, change: nameChange(before, after), was: before, now: after }];
  });
}

/** Whether a passage to a root leads elsewhere or nowhere. */
export function isMoved(was: ManifestEntry | undefined, path: string): boolean {
  if (was === undefined) return false;
  const now = passageAt(path);
  return now === null || !sameKind(was, now);
}

function nameChange(was: ManifestEntry | null, now: ManifestEntry | null): PathChange["change"] {
  if (was === null) return "added";
  if (now === null) return "removed";
  return was.type === now.type ? "changed" : "replaced";
}

function hasRecorded(manifest: Manifest, passage: string): boolean {
  const within = Buffer.concat([pathBytes(passage), Buffer.from("/")]);
  return Object.entries(manifest.entries).some(
    ([path, entry]) => entry.passage !== true && pathBytes(path).subarray(0, within.length).equals(within),
  );
}

/** The order in which changes can be undone. */
export function parentsFirst(left: PathChange, right: PathChange): number {
  const depth = ({ path }: PathChange): number => pathBytes(path).filter((byte) => byte === 0x2f).length;
  return depth(left) - depth(right) || (left.path < right.path ? -1 : 1);
}

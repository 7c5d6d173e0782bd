import { readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import { findGitPlace } from "../../git/place.ts";
import { runGit } from "../../git/run-git.ts";
import type { Tamper } from "../../rules/facts.ts";
import { passMachineFault } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { findMatching, namedPaths } from "../../store/glob-paths.ts";
import { manifestEntryShape } from "../../store/manifest.ts";
import { bytesIn, pathKey } from "../../store/path-key.ts";
import { putFile } from "../../store/put-file.ts";
import { readJsonOr, readRegularFile } from "../../store/read-file.ts";
import type { ManifestEntry } from "../../store/snapshot.ts";
import { sha256 } from "../../text/sha256.ts";
import { recordOf } from "../../text/shape.ts";
import type { Anchor } from "../records/anchor.ts";

/** Protected paths at pass 1, or after a person's last edit of the brief. The journal has their digests. */
export interface PinnedPaths {
  readonly repo: string;
  readonly globs: readonly string[];
  readonly digests: Readonly<Record<string, string>>;
  /** By repo path; missing if this machine never pinned it. */
  readonly entries: Readonly<Record<string, ManifestEntry>>;
}

/** What the globs match now, with digests for the journal. */
export function pinProtected(repo: string, globs: readonly string[]): PinnedPaths {
  const entries = readMatching(repo, globs);
  const digests = Object.fromEntries(Object.entries(entries).map(([path, entry]) => [path, digestOf(entry)]));
  return { repo, globs, digests, entries };
}

/** The journal's pins, with entries that still match. */
export function findPins(
  repo: string,
  globs: readonly string[],
  digests: Readonly<Record<string, string>>,
): PinnedPaths {
  return { repo, globs, digests, entries: withDigests(digests, [readMatching(repo, globs)]) };
}

/** Adds every entry whose bytes the anchor has or takes now, so that a path can be restored. */
export function withBytes(pins: PinnedPaths, anchor: Anchor): PinnedPaths {
  const paths = Object.keys(pins.entries);
  const full = paths.map((path) => pathKey(bytesIn(pins.repo, path)));
  const recorded = anchor.store.record(full, { skip: () => false }).entries;
  const taken = Object.fromEntries(
    paths.flatMap((path, index) => {
      const entry = recorded[full[index] ?? ""];
      return entry === undefined ? [] : [[path, entry]];
    }),
  );
  // A link is complete in its entry, and the anchor records other rights for it.
  const bare = Object.fromEntries(Object.entries(pins.entries).filter(([, { type }]) => type !== "file"));
  return { ...pins, entries: withDigests(pins.digests, [readPins(anchor), taken, bare]) };
}

function withDigests(
  digests: Readonly<Record<string, string>>,
  sources: readonly Readonly<Record<string, ManifestEntry>>[],
): Record<string, ManifestEntry> {
  return Object.fromEntries(
    Object.entries(digests).flatMap(([path, digest]) => {
      const entry = sources
        .map((entries) => entries[path])
        .find((one) => one !== undefined && digestOf(one) === digest);
      return entry === undefined ? [] : [[path, entry]];
    }),
  );
}

const mostPinBytes = 64 * 1024 * 1024;

/** Without readable pins, whatever has the journal's digest serves. */
function readPins(anchor: Anchor): Readonly<Record<string, ManifestEntry>> {
  return readJsonOr(join(anchor.folder, "pins.json"), recordOf(manifestEntryShape), mostPinBytes, {});
}

/** For later restores. The bytes of existing ones are on disk; the anchor's next record makes names durable. */
export function storePins(pins: PinnedPaths, anchor: Anchor): void {
  const path = join(anchor.folder, "pins.json");
  const text = JSON.stringify(pins.entries);
  const there = readRegularFile(path, mostPinBytes);
  if (there.kind === "file" && there.bytes.equals(Buffer.from(text))) return;
  putFile(path, text, { mode: 0o600 });
}

interface PinDifference {
  readonly path: string;
  readonly change: Tamper["change"];
  readonly now: ManifestEntry | null;
}

export function differsFromPins(pins: PinnedPaths): PinDifference[] {
  const now = readMatching(pins.repo, pins.globs);
  for (const path of Object.keys(pins.digests)) {
    if (now[path] === undefined) Object.assign(now, readEntries(pins.repo, [path]));
  }
  const paths = [...new Set([...Object.keys(pins.digests), ...Object.keys(now)])].sort();
  return paths.flatMap((path): PinDifference[] => {
    const entry = now[path] ?? null;
    const pinned = pins.digests[path];
    if (pinned === undefined) return [{ path, change: "added", now: entry }];
    if (entry === null) return [{ path, change: "removed", now: null }];
    if (digestOf(entry) === pinned) return [];
    return [{ path, change: entry.type === (pins.entries[path]?.type ?? "file") ? "changed" : "replaced", now: entry }];
  });
}

export function compareProtected(pins: PinnedPaths, anchor: Anchor, keepFolder: string, by: Tamper["by"]): Tamper[] {
  return differsFromPins(pins).map(({ path, change, now }) => {
    const was = pins.entries[path] ?? null;
    let restored = was !== null || change === "added";
    if (restored) {
      try {
        const there = pathKey(bytesIn(pins.repo, path));
        anchor.store.restore({ path: there, change, was, now }, join(keepFolder, path));
      } catch (error) {
        passMachineFault(error);
        restored = false;
      }
    }
    return { path, change, guard: "protected", by, detail: null, restored };
  });
}

function readMatching(repo: string, globs: readonly string[]): Record<string, ManifestEntry> {
  return readEntries(repo, findMatching(repo, globs));
}

function readEntries(repo: string, paths: readonly string[]): Record<string, ManifestEntry> {
  const entries: Record<string, ManifestEntry> = {};
  for (const path of paths) {
    const full = bytesIn(repo, path);
    const stat = statEntry(full);
    if (stat !== null) entries[path] = makeEntry(full, stat);
  }
  return entries;
}

function makeEntry(path: Buffer, stat: Stats): ManifestEntry {
  const mode = Number(stat.mode) & 0o7777;
  if (stat.isSymbolicLink()) return { type: "link", mode, target: readlinkSync(path) };
  const read = readRegularFile(path, 1024 * 1024 * 1024);
  return read.kind === "file"
    ? { type: "file", mode, size: read.bytes.length, sha256: sha256(read.bytes) }
    : { type: "special", mode };
}

function digestOf(entry: ManifestEntry): string {
  return `${entry.type} ${entry.mode.toString(8)} ${entry.sha256 ?? entry.target ?? ""}`;
}

/** Ignored and missing, so that no clone has them. Only paths without wildcards count. Throws TP_GIT. */
export async function findUnsupplied(
  repo: string,
  globs: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const missing = namedPaths(globs).filter((path) => statEntry(join(repo, path)) === null);
  const place = findGitPlace(repo);
  if (missing.length === 0 || place === null) return [];
  // 128: the path leads through a link or into a submodule, where git ignores nothing. It would end a call for all.
  const options = { cwd: repo, env, accept: [0, 1, 128] };
  const ignored: string[] = [];
  for (const path of missing) {
    const { exitCode } = await runGit(place, ["check-ignore", "-q", "--", path], options);
    if (exitCode === 0) ignored.push(path);
  }
  return ignored;
}

import { sha256 } from "../text/sha256.ts";

export interface Fingerprint {
  /** 64 hex digits: equal if the entries are equal. */
  readonly hash: string;
  /** Path, relative to the repo (see `pathKey`), to `type mode digest`. */
  readonly entries: ReadonlyMap<string, string>;
}

export interface FingerprintChange {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
}

/** The paths that differ, in order. */
export function diffFingerprints(before: Fingerprint, after: Fingerprint): FingerprintChange[] {
  const changes: FingerprintChange[] = [];
  for (const path of new Set([...before.entries.keys(), ...after.entries.keys()])) {
    const [was, now] = [before.entries.get(path), after.entries.get(path)];
    if (was === now) continue;
    changes.push({ path, change: was === undefined ? "added" : now === undefined ? "removed" : "changed" });
  }
  return changes.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** How many paths differ between two texts of serialized entries, each given as its lines; no path is read twice. */
export function countDifferences(before: ReadonlySet<string>, after: ReadonlySet<string>): number {
  const only = (left: ReadonlySet<string>, right: ReadonlySet<string>) => [...left].filter((line) => !right.has(line));
  return new Set([...only(before, after), ...only(after, before)].map(pathOfLine)).size;
}

function pathOfLine(line: string): unknown {
  const entry: unknown = JSON.parse(line);
  return Array.isArray(entry) ? entry[0] : line;
}

/** One line an entry, sorted: what the hash is taken of, and what `parseEntries` reads. */
export function serializeEntries(entries: ReadonlyMap<string, string>): string {
  return [...entries]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join("");
}

/** The fingerprint of serialized entries, or null if the text is none. */
export function parseEntries(text: string): Fingerprint | null {
  const entries = new Map<string, string>();
  try {
    for (const line of text.split("\n").slice(0, -1)) {
      const entry: unknown = JSON.parse(line);
      if (!Array.isArray(entry) || entry.length !== 2) return null;
      const [path, value]: readonly unknown[] = entry;
      if (typeof path !== "string" || typeof value !== "string") return null;
      entries.set(path, value);
    }
  } catch {
    return null;
  }
  return serializeEntries(entries) === text ? fromEntries(entries) : null;
}

/** The fingerprint of these entries. */
export function fromEntries(entries: ReadonlyMap<string, string>): Fingerprint {
  return { hash: sha256(serializeEntries(entries)), entries };
}

import { sha256 } from "../text/sha256.ts";

export interface Fingerprint {
  readonly hash: string;
  /** Path, as `pathKey` relative to the repo, to `type mode digest`. */
  readonly entries: ReadonlyMap<string, string>;
}

interface FingerprintChange {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
}

export function diffFingerprints(before: Fingerprint, after: Fingerprint): FingerprintChange[] {
  const changes: FingerprintChange[] = [];
  for (const path of new Set([...before.entries.keys(), ...after.entries.keys()])) {
    const [was, now] = [before.entries.get(path), after.entries.get(path)];
    if (was === now) continue;
    changes.push({ path, change: was === undefined ? "added" : now === undefined ? "removed" : "changed" });
  }
  return changes.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** One line per entry, sorted: the input of the hash and of `parseEntries`. */
export function serializeEntries(entries: ReadonlyMap<string, string>): string {
  return [...entries]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join("");
}

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

export function fromEntries(entries: ReadonlyMap<string, string>): Fingerprint {
  return { hash: sha256(serializeEntries(entries)), entries };
}

/**
 * The kinds of entry that a clean copy can contain: regular files and links. Anything else in a fingerprint is not
 * content.
 */
export interface ContentEntry {
  readonly kind: "file" | "link";
  readonly executable: boolean;
  /** The sha256 of a file's bytes, or of a link's text. */
  readonly digest: string;
}

/**
 * Reads one entry of a fingerprint, as `file 755 <sha256>` or `link - <sha256>`. Null for what a copy cannot hold: a
 * pipe, a folder, a file that could not be read, and the digest of an ignore rule.
 */
export function readEntry(entry: string): ContentEntry | null {
  const [kind, mode, digest = ""] = entry.split(" ");
  if ((kind !== "file" && kind !== "link") || !/^[0-9a-f]{64}$/.test(digest)) return null;
  return { kind, executable: mode === "755", digest };
}

/**
 * True if a link at this path of a tree cannot lead out of it. The words `x/..` may lead anywhere if x is a link
 * itself. Both are Latin-1 text of the bytes: only slashes and dots matter.
 */
export function staysInside(path: string, target: string): boolean {
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const up = parts.findIndex((part) => part !== "..");
  const steps = up === -1 ? parts.length : up;
  if (target.startsWith("/") || parts.slice(steps).includes("..")) return false;
  return steps < path.split("/").length;
}

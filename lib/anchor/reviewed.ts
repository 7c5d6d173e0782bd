import { join } from "node:path";
import { type Fingerprint, parseEntries, serializeEntries } from "../git/fingerprint-entries.ts";
import { neverSynced } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { sha256 } from "../text/sha256.ts";
import type { Anchor } from "./anchor.ts";

/** The paths of the reviewed code are kept in the anchor, so that a ticket can name what moved since. Durable with the next record there. */
export function storeReviewed(anchor: Anchor, fingerprint: Fingerprint): void {
  putFile(join(anchor.folder, "reviewed.json"), serializeEntries(fingerprint.entries), {
    mode: 0o600,
    syncs: neverSynced,
  });
}

/** Null if this machine never saw the accepted verify → review. */
export function readReviewed(anchor: Anchor): Fingerprint | null {
  const bytes = readReviewedBytes(anchor);
  return bytes === null ? null : parseEntries(bytes.toString("utf8"));
}

/** The lines of the reviewed code with this fingerprint; null if this machine has them not, or those of other code. */
export function readReviewedLines(anchor: Pick<Anchor, "folder">, fingerprint: string): ReadonlySet<string> | null {
  const bytes = readReviewedBytes(anchor);
  return bytes === null || sha256(bytes) !== fingerprint ? null : linesOf(bytes.toString("utf8"));
}

export function linesOf(entries: string): ReadonlySet<string> {
  return new Set(entries.split("\n").slice(0, -1));
}

function readReviewedBytes({ folder }: Pick<Anchor, "folder">): Buffer | null {
  const read = readRegularFile(join(folder, "reviewed.json"), 1024 * 1024 * 1024);
  return read.kind === "file" ? read.bytes : null;
}

import { join } from "node:path";
import { type Fingerprint, parseEntries, serializeEntries } from "../git/fingerprint.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { Anchor } from "./anchor.ts";

/** The paths of the reviewed code are kept in the anchor, so that a ticket can name what moved since. */
export function storeReviewed(anchor: Anchor, fingerprint: Fingerprint): void {
  putFile(join(anchor.folder, "reviewed.json"), serializeEntries(fingerprint.entries), { mode: 0o600 });
}

/** Null where this machine never saw the accepted verify → review. */
export function readReviewed(anchor: Anchor): Fingerprint | null {
  const read = readRegularFile(join(anchor.folder, "reviewed.json"), 1024 * 1024 * 1024);
  return read.kind === "file" ? parseEntries(read.bytes.toString("utf8")) : null;
}

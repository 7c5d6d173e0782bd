import { createHash } from "node:crypto";
import type { TreeEntry } from "./list-tree.ts";

/**
 * The bytes of an index (version 2, see gitformat-index) that names these blobs, by path as bytes, and knows nothing of
 * the files on disk, so that git looks at each when it is asked. Written here, since a process for each copy would cost
 * more than all the rest of it.
 */
export function indexBytes(blobs: readonly (TreeEntry & { readonly path: Buffer })[]): Buffer {
  const sorted = blobs.toSorted((one, other) => Buffer.compare(one.path, other.path));
  const head = Buffer.alloc(12);
  head.write("DIRC", "latin1");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(sorted.length, 8);
  const entries = sorted.map(({ path, mode, oid }) => {
    const name = Buffer.from(oid, "hex");
    const length = statBytes + name.length + 2 + path.length;
    // One to eight zeros end an entry, so that the next one begins at a multiple of eight.
    const entry = Buffer.alloc(length + 8 - (length % 8));
    entry.writeUInt32BE(Number.parseInt(mode, 8), modeAt);
    name.copy(entry, statBytes);
    entry.writeUInt16BE(Math.min(path.length, 0xfff), statBytes + name.length);
    path.copy(entry, statBytes + name.length + 2);
    return entry;
  });
  const body = Buffer.concat([head, ...entries]);
  const isSha256 = sorted[0]?.oid.length === 64;
  return Buffer.concat([
    body,
    createHash(isSha256 ? "sha256" : "sha1")
      .update(body)
      .digest(),
  ]);
}

/** Ten numbers of four bytes: times, device, inode, mode, owner, size. */
const statBytes = 40;
const modeAt = 24;

import { createHash } from "node:crypto";
import { fchmodSync, mkdirSync, openSync, readlinkSync, symlinkSync } from "node:fs";
import { type ContentEntry, staysInside } from "../../git/content-entries.ts";
import { errorCode, storeError, storing } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { hashFile } from "../../store/hash-file.ts";
import { pathBytes } from "../../store/path-key.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { writeWhole } from "../../store/temporary-file.ts";
import { withFile } from "../../store/with-file.ts";

/** Where the bytes of one entry of a copy are. */
export interface Source {
  readonly path: Buffer;
  /** The text of a link is kept as a file. */
  readonly isBlob: boolean;
}

/** The number of its bytes, or that they are not the ones that were wanted. */
export function writeFile(
  { path }: Source,
  target: Buffer,
  { digest, executable }: ContentEntry,
  instead?: string,
): number | "differs" {
  return storing("copy", target.toString("utf8"), () =>
    withFile(openSync(target, "wx", 0o600), (descriptor) => {
      if (instead !== undefined) writeWhole(descriptor, Buffer.from(instead));
      const read = instead === undefined ? hashFile(path, (piece) => writeWhole(descriptor, piece)) : null;
      fchmodSync(descriptor, executable ? 0o755 : 0o644);
      if (read === null) return Buffer.byteLength(instead ?? "");
      return read.kind === "file" && read.sha256 === digest ? read.size : "differs";
    }),
  );
}

/** What the link is, or why it is not in the copy: it leaves the tree, or has another text than was wanted. */
export function writeLink(
  source: Source,
  target: Buffer,
  path: string,
  { digest }: ContentEntry,
): "leaves" | "differs" | 0 {
  const text = readLinkText(source);
  if (text === null || createHash("sha256").update(text).digest("hex") !== digest) return "differs";
  if (!staysInside(pathBytes(path).toString("latin1"), text.toString("latin1"))) return "leaves";
  storing("copy", target.toString("utf8"), () => symlinkSync(text, target));
  return 0;
}

function readLinkText({ path, isBlob }: Source): Buffer | null {
  if (isBlob) {
    const read = readRegularFile(path, 64 * 1024);
    return read.kind === "file" ? read.bytes : null;
  }
  return statEntry(path)?.isSymbolicLink() === true ? readlinkSync(path, { encoding: "buffer" }) : null;
}

/** The folders above a file of the copy, which nothing but this copy has written to so far. */
export function makeParents(target: Buffer, rootLength: number, made: Set<string>): void {
  const parent = target.subarray(0, target.lastIndexOf(0x2f));
  const key = parent.toString("latin1");
  if (parent.length <= rootLength || made.has(key)) return;
  try {
    mkdirSync(parent, { recursive: true, mode: 0o755 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw storeError("make the folder", parent.toString("utf8"), error);
  }
  made.add(key);
}

import { readlinkSync } from "node:fs";
import { statEntry } from "../../store/folder.ts";
import { hashFile } from "../../store/hash-file.ts";
import { sha256 } from "../../text/sha256.ts";

/** As the pins have it; null for what cannot be read. */
export function digestDependency(path: Buffer): string | null {
  if (statEntry(path)?.isSymbolicLink() === true) return `link ${sha256(readlinkSync(path, { encoding: "buffer" }))}`;
  const read = hashFile(path);
  return read.kind === "file" ? read.sha256 : null;
}

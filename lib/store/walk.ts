import { type Dirent, readdirSync } from "node:fs";
import { errorCode, passMachineFault } from "./error-code.ts";
import { joinBytes } from "./path-key.ts";

const gitName = Buffer.from(".git");

/** A `withFileTypes` entry read as bytes; the types of Node 20 know only text names. */
interface ByteEntry {
  readonly name: Buffer;
  isDirectory(): boolean;
}

/**
 * The names in a folder as bytes, in byte order; none if there is no such folder. Links are not followed by
 * `isDirectory`.
 */
export function listFolder(folder: Buffer): ByteEntry[] {
  let entries: ByteEntry[];
  try {
    const raw: unknown = readdirSync(folder, { withFileTypes: true, encoding: "buffer" as BufferEncoding });
    entries = raw as (Omit<Dirent, "name"> & { name: Buffer })[];
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
    throw error;
  }
  return entries.sort((left, right) => Buffer.compare(left.name, right.name));
}

/** The entries of a folder; none if it cannot be read. */
export function listReadable(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * Everything under a folder that is not a folder, relative to it, links not followed and without what git keeps under
 * the name `.git`. A folder that may not be read is in the list itself.
 */
export function walkTree(folder: Buffer): Buffer[] {
  const found: Buffer[] = [];
  const open: Buffer[] = [Buffer.alloc(0)];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    let entries: ByteEntry[];
    try {
      entries = listFolder(joinBytes(folder, at));
    } catch (error) {
      passMachineFault(error);
      found.push(at);
      continue;
    }
    for (const entry of entries) {
      if (entry.name.equals(gitName)) continue;
      const path = joinBytes(at, entry.name);
      if (entry.isDirectory()) open.push(path);
      else found.push(path);
    }
  }
  return found;
}

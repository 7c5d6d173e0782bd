import { type Dirent, readdirSync } from "node:fs";
import { orElse } from "../text/attempt.ts";
import { isAbsent, passMachineFault } from "./error-code.ts";
import { joinBytes } from "./path-key.ts";

/** A `withFileTypes` entry with its name as bytes, which the types of Node 20 lack. */
interface ByteEntry {
  readonly name: Buffer;
  isDirectory(): boolean;
}

/** In byte order; empty if there is no such folder. `isDirectory` does not follow links. */
export function listFolder(folder: Buffer): ByteEntry[] {
  let entries: ByteEntry[];
  try {
    const raw: unknown = readdirSync(folder, { withFileTypes: true, encoding: "buffer" as BufferEncoding });
    entries = raw as (Omit<Dirent, "name"> & { name: Buffer })[];
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
  return entries.sort((left, right) => Buffer.compare(left.name, right.name));
}

/** Empty if the folder cannot be read. */
export function listReadable(folder: string): Dirent[] {
  return orElse(() => readdirSync(folder, { withFileTypes: true }), []);
}

/**
 * All but folders, relative, links not followed; `.git` and these names are left out. An unreadable folder is listed
 * itself.
 */
export function walkTree(folder: Buffer, leaveOut: readonly string[] = []): Buffer[] {
  const left = [".git", ...leaveOut].map((name) => Buffer.from(name));
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
      if (left.some((name) => entry.name.equals(name))) continue;
      const path = joinBytes(at, entry.name);
      if (entry.isDirectory()) open.push(path);
      else found.push(path);
    }
  }
  return found;
}

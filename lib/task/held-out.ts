import { copyFileSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { HeldOutCheck } from "../documents/contract.ts";
import { staysInside } from "../git/content-entries.ts";
import { errorCode, storing } from "../store/error-code.ts";
import { realOrNull, removeAll, statEntry } from "../store/folder.ts";
import { hashFile } from "../store/hash-file.ts";
import { joinBytes, pathKey } from "../store/path-key.ts";
import { listFolder } from "../store/walk.ts";
import { sha256 } from "../text/sha256.ts";

/** A held-out check with the absolute path of its folder, and the digest that it had at pass 1. */
export interface PinnedCheck extends HeldOutCheck {
  readonly digest: string;
}

/** Under this name a held-out folder is in the copy, and nowhere else. */
const heldOutName = "held-out";
/** A folder of tests is far smaller. */
const mostFiles = 20_000;

/**
 * The digest of a folder of held-out files: paths, executable bits, contents and links. Null if there is no such
 * folder, if it holds too much, or something that cannot be read.
 */
export function digestHeldOut(folder: string): string | null {
  const lines: string[] = [];
  const whole = visit(folder, (path, absolute, kind) => {
    if (kind === "link") lines.push(`link ${pathKey(path)} ${sha256(readlinkSync(absolute, { encoding: "buffer" }))}`);
    if (kind !== "file") return true;
    const read = hashFile(absolute);
    if (read.kind !== "file") return false;
    lines.push(`file ${pathKey(path)} ${(read.stats.mode & 0o100) === 0 ? "644" : "755"} ${read.sha256}`);
    return lines.length <= mostFiles;
  });
  return whole ? sha256(lines.sort().join("\n")) : null;
}

/**
 * Puts the folder into a copy, as `held-out`, in place of whatever has that name: a link that an earlier check left
 * there could lead to the repo. Throws TP_DISK.
 */
export function placeHeldOut(folder: string, copy: string): string {
  const target = join(copy, heldOutName);
  return storing("place the held-out files in", target, () => {
    removeAll(target);
    mkdirSync(target, { mode: 0o755 });
    visit(folder, (path, absolute, kind) => {
      const to = joinBytes(Buffer.from(target), path);
      if (kind === "folder") mkdirSync(to, { recursive: true, mode: 0o755 });
      else if (kind === "file") copyFileSync(absolute, to);
      else {
        const text = readlinkSync(absolute, { encoding: "buffer" });
        if (staysInside(path.toString("latin1"), text.toString("latin1"))) symlinkSync(text, to);
      }
      return true;
    });
    return target;
  });
}

type Visit = (path: Buffer, absolute: Buffer, kind: "file" | "folder" | "link") => boolean;

/** Every entry under the folder, parents first; false as soon as one is refused or cannot be read. */
function visit(folder: string, each: Visit): boolean {
  const root = realOrNull(folder);
  if (root === null || statEntry(root)?.isDirectory() !== true) return false;
  const open: Buffer[] = [Buffer.alloc(0)];
  try {
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const { name } of listFolder(joinBytes(Buffer.from(root), at))) {
        const path = joinBytes(at, name);
        const absolute = joinBytes(Buffer.from(root), path);
        const stats = statEntry(absolute);
        const kind = stats?.isFile()
          ? "file"
          : stats?.isDirectory()
            ? "folder"
            : stats?.isSymbolicLink()
              ? "link"
              : null;
        if (kind === null) continue;
        if (!each(path, absolute, kind)) return false;
        if (kind === "folder") open.push(path);
      }
    }
    return true;
  } catch (error) {
    if (errorCode(error) === "EACCES" || errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

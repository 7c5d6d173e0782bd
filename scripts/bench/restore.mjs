import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";

/**
 * Remembers folders as they are, with a copy in `into`. The function that it returns puts them back: what was not
 * written since keeps its inode, its times and its hard links, as between two passes of a real task, so that caches
 * which rest on those are neither helped nor hindered. A folder that is not there is removed again.
 */
export function rememberFolders(folders, into) {
  const kept = folders.map((folder, index) => {
    const copy = join(into, String(index));
    const seen = listEntries(folder);
    for (const [name, entry] of seen) copyEntry(join(folder, name), join(copy, name), entry);
    return { folder, copy, seen, wasThere: existsSync(folder) };
  });
  return () => {
    for (const one of kept) putBack(one);
  };
}

function putBack({ folder, copy, seen, wasThere }) {
  if (!wasThere) return rmSync(folder, { recursive: true, force: true });
  const now = listEntries(folder);
  for (const name of now.keys()) {
    if (!seen.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const inPlace = new Map();
  const gone = [];
  for (const [name, entry] of seen) {
    if (isSame(entry, now.get(name))) inPlace.set(entry.group, name);
    else gone.push([name, entry]);
  }
  for (const [name, entry] of gone) {
    const path = join(folder, name);
    rmSync(path, { recursive: true, force: true });
    const other = inPlace.get(entry.group);
    if (entry.kind === "file" && other !== undefined) linkSync(join(folder, other), path);
    else copyEntry(join(copy, name), path, entry);
    seen.set(name, { ...lookAt(path), group: entry.group });
    inPlace.set(entry.group, name);
  }
}

/** By path, folders before what is in them. */
function listEntries(folder) {
  const found = new Map();
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder, { recursive: true }).sort()) {
    const entry = lookAt(join(folder, name));
    if (entry !== null) found.set(name, entry);
  }
  return found;
}

function lookAt(path) {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return null;
  const kind = stat.isDirectory() ? "folder" : stat.isSymbolicLink() ? "link" : stat.isFile() ? "file" : "other";
  const { ino, size, mtimeNs } = stat;
  return { kind, mode: Number(stat.mode), group: ino, ino, size, mtimeNs };
}

/** A hard link that came or went changes the ctime of a file, and is no reason to write it anew. */
function isSame(before, now) {
  if (now === undefined || before.kind !== now.kind) return false;
  return before.kind === "folder" || ["ino", "size", "mtimeNs", "mode"].every((key) => before[key] === now[key]);
}

function copyEntry(from, to, { kind, mode, mtimeNs }) {
  if (kind === "folder") return mkdirSync(to, { recursive: true, mode: mode & 0o777 });
  mkdirSync(dirname(to), { recursive: true });
  if (kind === "link") return symlinkSync(readlinkSync(from), to);
  if (kind !== "file") throw new Error(`${from} is neither file, folder nor link`);
  copyFileSync(from, to);
  // To the microsecond: git reads each file again that is not older than its index.
  utimesSync(to, Number(mtimeNs) / 1e9, Number(mtimeNs) / 1e9);
}

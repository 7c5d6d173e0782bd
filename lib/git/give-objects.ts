import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  type Stats,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { errorCode, storing } from "../store/error-code.ts";
import { removeAll, statEntry } from "../store/folder.ts";
import { withFile } from "../store/with-file.ts";

/**
 * Gives what git wrote into one folder of objects to another one, as git itself does at the end of a push: each under its
 * final name at once, and none in place of one that is there. `from`: a folder where git alone made names, since nothing is
 * hashed again. Throws TP_DISK.
 */
export function giveObjects(from: string, to: string): void {
  storing("write objects into", to, () => {
    const store = statSync(to);
    for (const folder of readdirSync(from).filter((name) => /^(?:[0-9a-f]{2}|pack)$/.test(name))) {
      // A pack counts once its index is there, and its mark has to be there before.
      const names = readdirSync(join(from, folder)).filter((name) => !name.startsWith("tmp_"));
      const rank = (name: string) => Number(name.endsWith(".idx")) - Number(name.endsWith(".keep"));
      for (const name of names.sort((one, other) => rank(one) - rank(other)))
        giveOne(join(from, folder, name), join(to, folder), name, store);
    }
  });
}

/** Takes out what is older than that; the folder goes with the last. */
export function dropOlder(folder: string, than: Date): void {
  if (statEntry(folder) === null) return;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  const old = files.map(({ parentPath, name }) => join(parentPath, name)).filter((file) => statSync(file).mtime < than);
  for (const file of old.length === files.length ? [folder] : old) removeAll(file);
}

/** Another git that cleans up may remove a folder as long as it is empty. */
const mostTries = 5;

/** Where several users share a repository, the modes of its folders say so (`core.sharedRepository`). */
function makeLike(folder: string, { mode }: Stats): void {
  if (statEntry(folder) !== null) return;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, mode & 0o7777);
}

function giveOne(from: string, folder: string, name: string, store: Stats): void {
  for (let tried = 1; ; tried += 1) {
    try {
      makeLike(folder, store);
      tryGive(from, folder, name, store);
      return;
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || tried === mostTries) throw error;
    }
  }
}

function tryGive(from: string, folder: string, name: string, { mode }: Stats): void {
  const to = join(folder, name);
  if (statEntry(to) !== null) return;
  // A link would keep the group of its maker.
  if ((mode & 0o2000) === 0 && isLinked(from, to)) return;
  const half = join(folder, `tmp_obj_${randomBytes(6).toString("hex")}`);
  copyFileSync(from, half);
  chmodSync(half, mode & 0o444);
  withFile(openSync(half, "r"), (file) => fsyncSync(file));
  renameSync(half, to);
}

/** False where the two folders are on different disks, or on one without links. */
function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return true;
    if (["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP"].includes(code)) return false;
    throw error;
  }
}

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, statEntry } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { listTree } from "./list-tree.ts";
import { blobName, readBlob } from "./objects.ts";
import type { GitPlace } from "./place.ts";

/** Cut short, or with zeros for what was not written, as a power cut leaves what nobody synced. */
export function isTornFrom(bytes: Uint8Array, whole: Uint8Array): boolean {
  return bytes.length <= whole.length && bytes.every((byte, at) => byte === 0 || byte === whole[at]);
}

/**
 * Gives the files below a folder of a working tree their bytes of this commit again, which git checked out there, if a power cut
 * took or tore them. Files with other bytes stay. `folder`: from the top, empty for all. Throws TP_GIT and TP_DISK.
 */
export async function mendTorn(place: GitPlace, commit: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  for (const [key, { mode, oid }] of await listTree(place, commit, env)) {
    const name = Buffer.from(key, "latin1").toString("utf8");
    if ((folder !== "" && !name.startsWith(`${folder}/`)) || !mode.startsWith("100")) continue;
    const path = join(place.top, name);
    const bytes = readPlaced(path);
    if (bytes === "other" || (bytes !== null && blobName(bytes, oid.length) === oid)) continue;
    const whole = await readBlob(place, oid, env);
    if (whole === null || (bytes !== null && !isTornFrom(bytes, whole))) continue;
    makeFolder(dirname(path));
    putFile(path, whole, { mode: mode === "100755" ? 0o755 : 0o644 });
  }
}

/** What a working tree has at the path of a file; "other": something else has that place, or the place of a folder above. */
export function readPlaced(path: string): Buffer | "other" | null {
  const found = statEntry(path);
  if (found === null) return canHold(dirname(path)) ? null : "other";
  return found.isFile() ? readFileSync(path) : "other";
}

/** False: something else has the place of the folder, or of one above it. */
function canHold(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const found = statEntry(at);
    if (found !== null) return found.isDirectory();
  }
}

import { readlinkSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode, storeError } from "../store/error-code.ts";
import { makeFolder, statEntry } from "../store/folder.ts";
import { hashFile } from "../store/hash-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { sha256 } from "../text/sha256.ts";
import type { CheckedOut } from "./check-out.ts";
import { blobHash, blobName, openObjects } from "./objects.ts";
import type { GitPlace } from "./place.ts";

/** A repo as it was listed: entries of a fingerprint by path, and the file with the bytes of each. */
export interface Listing {
  readonly entries: ReadonlyMap<string, string>;
  /** Absolute. The text of a link may be a file. */
  fileOf(path: string, digest: string): Buffer;
}

/** What git calls contents, by their sha256: the same file is read once, however many copies it is in. */
const known = new Map<string, string>();

/** The name that git has for the bytes of a listed file or the text of a link; null if they are not as listed. */
export function nameListed(listing: Listing, path: string, entry: string, nameLength: number): string | null {
  const [kind, , digest = ""] = entry.split(" ");
  const key = `${nameLength} ${digest}`;
  const seen = known.get(key);
  if (seen !== undefined) return seen;
  const file = listing.fileOf(path, digest);
  const name = kind === "link" ? nameLink(file, digest, nameLength) : nameFile(file, digest, nameLength);
  if (name !== null) known.set(key, name);
  return name;
}

/** The name that git has for a file's bytes; null if they have another digest, or it is no file. */
export function nameFile(file: Buffer, digest: string, nameLength: number): string | null {
  const size = statEntry(file)?.size ?? -1;
  if (size < 0) return null;
  const blob = blobHash(size, nameLength);
  const read = hashFile(file, (piece) => blob.update(piece));
  return read.kind === "file" && read.sha256 === digest && read.size === size ? blob.digest("hex") : null;
}

const longestLink = 64 * 1024;

/** The name of a link's text, which a file may contain. */
export function nameLink(file: Buffer, digest: string, nameLength: number): string | null {
  const isLink = statEntry(file)?.isSymbolicLink() === true;
  const read = isLink ? null : readRegularFile(file, longestLink);
  const text = isLink ? readlinkSync(file, { encoding: "buffer" }) : read?.kind === "file" ? read.bytes : null;
  return text !== null && sha256(text) === digest ? blobName(text, nameLength) : null;
}

/** Moves what git wrote to its place under its sha256; a link becomes a file with its text. Throws TP_DISK. */
export function saveBlob(blobs: string, { file, isLink, digest }: CheckedOut): void {
  const target = join(blobs, digest);
  try {
    makeFolder(blobs, 0o700);
    if (isLink) writeFileSync(target, readlinkSync(file, { encoding: "buffer" }), { mode: 0o600 });
    else renameSync(file, target);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw storeError("keep a copy at", target, error);
  }
}

const longestPointer = 1024;

/** Whether a blob is a pointer of git-lfs that names these bytes, so that a colleague with git-lfs gets them. */
export async function pointsTo(place: GitPlace, oid: string, entry: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return (await readPointers(place, [oid], env)).get(oid) === entry.split(" ")[2];
}

/** By blob, the sha256 that it names as a pointer of git-lfs; others have no entry. Throws TP_GIT. */
export async function readPointers(
  place: GitPlace,
  oids: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string>> {
  const pointers = new Map<string, string>();
  const objects = await openObjects(place, env);
  try {
    for (const oid of oids) {
      const read = await objects.read(oid, longestPointer);
      const pointer = read.kind === "blob" ? pointerIn(read.bytes) : null;
      if (pointer !== null) pointers.set(oid, pointer);
    }
  } finally {
    objects.close();
  }
  return pointers;
}

/** Whether git-lfs has left its pointer in place of a file. */
export function isPointer(file: Buffer): boolean {
  const read = readRegularFile(file, longestPointer);
  return read.kind === "file" && pointerIn(read.bytes) !== null;
}

function pointerIn(bytes: Buffer): string | null {
  const text = bytes.toString("latin1");
  return text.startsWith("version https://git-lfs.") ? (/^oid sha256:([0-9a-f]{64})\n/m.exec(text)?.[1] ?? null) : null;
}

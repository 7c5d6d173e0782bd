import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { sha256 as digestOf } from "../text/sha256.ts";
import { passMachineFault, storing } from "./error-code.ts";
import { statEntry, syncFolder } from "./folder.ts";
import { hashFile } from "./hash-file.ts";
import { copyFile, writeWhole } from "./temporary-file.ts";
import { withFile } from "./with-file.ts";

/** Copies in a few growing files, so that one fsync makes a batch durable. A place is `NAME:OFFSET`. */
export interface Packs {
  /** Appends to the named pack, or a new one of this owner; durable on return. Throws TP_DISK. */
  write<Value>(name: string | null, act: (pack: PackWriter) => Value): Value;
  read(place: string, size: number): Buffer | null;
  /** Like `copyFile`. False if the bytes are gone or differ. */
  copyOut(place: string, to: Buffer, expect: { sha256: string; size: number; mode: number }): boolean;
  /** Bytes. */
  sizeOf(name: string): number | null;
}

export interface PackWriter {
  readonly name: string;
  /** The copy's place; null if the file does not have the digest. */
  addFile(path: Buffer, sha256: string): string | null;
  keepText(text: string | Uint8Array): string;
  end(): number;
}

const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** Only the holder of `owner` appends to packs of this name. */
export function openPacks(folder: string, owner: string): Packs {
  const split = (place: string): { path: string; from: number } => {
    const [name = "", offset = ""] = place.split(":");
    return { path: join(folder, name), from: Number(offset) };
  };
  return {
    write(named, act) {
      const name = named ?? `${owner}-${randomBytes(8).toString("hex")}`;
      const path = join(folder, name);
      return storing("write", path, () =>
        withFile(openSync(path, flags, 0o600), (descriptor) => {
          const before = fstatSync(descriptor).size;
          const pack = writerOn(name, descriptor, before);
          const value = act(pack);
          if (pack.end() > before) fsyncSync(descriptor);
          if (named === null) syncFolder(folder);
          return value;
        }),
      );
    },
    read(place, size) {
      const { path, from } = split(place);
      return readPart(path, from, size);
    },
    copyOut(place, to, { size, ...expect }) {
      const { path, from } = split(place);
      return copyFile(Buffer.from(path), to, expect, { from, length: size });
    },
    sizeOf(name) {
      const stats = statEntry(join(folder, name));
      return stats?.isFile() === true ? stats.size : null;
    },
  };
}

function readPart(path: string, from: number, size: number): Buffer | null {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(size);
    let done = 0;
    for (let count = -1; done < size && count !== 0; done += count)
      count = readSync(descriptor, bytes, done, size - done, from + done);
    return done === size ? bytes : null;
  } catch (error) {
    passMachineFault(error);
    return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function writerOn(name: string, descriptor: number, size: number): PackWriter {
  let end = size;
  const append = (bytes: Uint8Array): void => {
    writeWhole(descriptor, bytes);
    end += bytes.length;
  };
  return {
    name,
    end: () => end,
    addFile(path, sha256) {
      const place = `${name}:${end}`;
      const read = hashFile(path, append);
      return read.kind === "file" && read.sha256 === sha256 ? place : null;
    },
    keepText(text) {
      const place = `${name}:${end}`;
      append(Buffer.from(text));
      return place;
    },
  };
}

/** A text in a pack, with its digest: `NAME:OFFSET:SIZE:SHA256`. */
export type TextRef = string;

export function saveText(pack: PackWriter, text: string): TextRef {
  return `${pack.keepText(text)}:${Buffer.byteLength(text)}:${digestOf(text)}`;
}

/** Null if the text is gone or differs. */
export function readRef(packs: Packs, ref: TextRef): string | null {
  const { name, offset, size, sha256 } = splitRef(ref);
  const bytes = packs.read(`${name}:${offset}`, size);
  return bytes !== null && digestOf(bytes) === sha256 ? bytes.toString("utf8") : null;
}

export function splitRef(ref: TextRef): { name: string; offset: number; size: number; sha256: string } {
  const [name = "", offset = "", size = "", sha256 = ""] = ref.split(":");
  return { name, offset: Number(offset), size: Number(size), sha256 };
}

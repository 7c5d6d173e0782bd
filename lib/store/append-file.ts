import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { storeError } from "./error-code.ts";
import { lookAt, syncFolder } from "./folder.ts";
import { writeWhole } from "./write-whole.ts";

const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Adds to the end of a regular file, durably; makes the file if there is none. Where the disk fills up half-way,
 * what was added is taken back, if the disk allows that. One writer at a time. Throws TP_DISK.
 */
export function appendDurably(path: string, data: string | Uint8Array): void {
  try {
    const isNew = lookAt(path) === null;
    const descriptor = openSync(path, flags, 0o666);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw new Error("it is not a regular file");
      try {
        writeWhole(descriptor, data);
        fsyncSync(descriptor);
      } catch (error) {
        takeBack(descriptor, stats.size);
        throw error;
      }
    } finally {
      closeSync(descriptor);
    }
    if (isNew) syncFolder(dirname(path));
  } catch (error) {
    throw storeError("append to", path, error);
  }
}

function takeBack(descriptor: number, size: number): void {
  try {
    ftruncateSync(descriptor, size);
    fsyncSync(descriptor);
  } catch {
    // The reader of a journal recognises a torn last line.
  }
}

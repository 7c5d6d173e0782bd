import { constants, fstatSync, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { storing } from "./error-code.ts";
import { statEntry, syncFolder } from "./folder.ts";
import { removeQuietly, writeWhole } from "./temporary-file.ts";
import { withFile } from "./with-file.ts";

const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Or creates it. A failed append is taken back where possible. One writer at a time. Throws TP_DISK. */
export function appendDurably(path: string, data: string | Uint8Array): void {
  append(path, data, true);
}

export function appendLoosely(path: string, data: string | Uint8Array): void {
  append(path, data, false);
}

function append(path: string, data: string | Uint8Array, durable: boolean): void {
  storing("append to", path, () => {
    const isNew = statEntry(path) === null;
    withFile(openSync(path, flags, 0o666), (descriptor) => {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw new Error("it is not a regular file");
      try {
        writeWhole(descriptor, data);
        if (durable) fsyncSync(descriptor);
      } catch (error) {
        takeBack(descriptor, stats.size);
        if (isNew && stats.size === 0) removeQuietly(path);
        throw error;
      }
    });
    if (isNew && durable) syncFolder(dirname(path));
  });
}

/** Also syncs bytes that another process wrote. Throws TP_DISK. */
export function syncFile(path: string): void {
  storing("sync", path, () => {
    withFile(openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK), (descriptor) =>
      fsyncSync(descriptor),
    );
  });
}

function takeBack(descriptor: number, size: number): void {
  try {
    ftruncateSync(descriptor, size);
    fsyncSync(descriptor);
  } catch {
    // The reader of a journal recognises a torn last line.
  }
}

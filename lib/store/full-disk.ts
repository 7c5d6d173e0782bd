import { statfsSync } from "node:fs";
import { orElse } from "../text/attempt.ts";
import { storeError } from "./error-code.ts";

/** Its own words alone may be about something else, and a program that failed may have removed what filled the disk. */
const saysFull = /No space left on device|\bENOSPC\b/;

/**
 * Throws TP_DISK if a program that failed says that a disk is full, and less than 1 % is free on one that it writes to,
 * and less than 64 MiB; or less than 1 MiB. That is a fact about the machine, and says nothing about the program or the
 * code. `folders`: absolute paths.
 */
export function refuseFullDisk(
  action: string,
  output: string,
  folders: readonly string[],
  read: (folder: string) => Space = statfsSync,
): void {
  if (!saysFull.test(output)) return;
  const full = folders.find((folder) => orElse(() => isFull(read(folder)), false));
  if (full !== undefined)
    throw storeError(action, full, Object.assign(new Error("a program said so"), { code: "ENOSPC" }));
}

type Space = Readonly<Record<"bavail" | "blocks" | "bsize" | "ffree" | "files", number>>;

const mebibyte = 1024 * 1024;

/** Some file systems count no files. */
function isFull({ bavail, blocks, bsize, ffree, files }: Space): boolean {
  const least = Math.max(mebibyte, Math.min((blocks * bsize) / 100, 64 * mebibyte));
  return bavail * bsize < least || (files > 0 && ffree < Math.min(files / 100, 1000));
}

import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";
import { diskError } from "../report/errors.ts";

/** A new file written from start to end; not durable. `close` throws the first error of the disk. */
export interface LogFile {
  write(bytes: Uint8Array): void;
  failed(): boolean;
  close(): void;
}

/** Replaces what is at the path, which may be a link or a FIFO by now. */
export function openLogFile(path: string): LogFile {
  let failure: unknown = null;
  const attempt = (work: () => void): void => {
    if (failure !== null) return;
    try {
      work();
    } catch (error) {
      failure = error;
    }
  };
  let descriptor = -1;
  attempt(() => {
    rmSync(path, { force: true });
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  });
  return {
    write: (bytes) => attempt(() => writeWhole(descriptor, bytes)),
    failed: () => failure !== null,
    close: () => {
      if (descriptor >= 0) closeSync(descriptor);
      descriptor = -1;
      if (failure === null) return;
      const message = `The output of a process could not be kept: ${(failure as Error).message}. Free some space or check the folder's permissions, then run again.`;
      throw diskError("TP_DISK", message, { file: path }, failure);
    },
  };
}

/** One call may write less than it was given. */
export function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

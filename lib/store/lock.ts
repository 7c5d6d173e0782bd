import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { diskError } from "../report/errors.ts";
import { errorCode, storeError } from "./error-code.ts";
import { lookAt } from "./folder.ts";

export interface FileLock {
  /**
   * Gives the lock back; a second call does nothing. The kernel does the same when the process ends, however it ends.
   */
  release(): void;
}

/** Locks of the kernel on an open file description (F_OFD_SETLK on Linux, flock on macOS). */
interface NativeLocks {
  tryLock(descriptor: number, options?: { shared?: boolean }): boolean;
  unlock(descriptor: number): void;
}

// Node opens with O_CLOEXEC, so no child keeps the lock. O_NONBLOCK: a pipe in the place must not hang us.
const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const attempts = 4;
const pauseMs = 5;

/**
 * Takes the lock, or null if another holder has it, in this process or another one. Makes the lock file (mode
 * 0600) but never removes it: whoever removed and made it again would hold a second lock beside the first. Does not
 * wait, but for a few milliseconds in which an `isLocked` elsewhere may be looking. Throws TP_DISK or
 * TP_LOCK_UNSUPPORTED.
 */
export function tryLock(path: string): FileLock | null {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const descriptor = openLockFile(path, flags | constants.O_CREAT);
    if (descriptor === null) continue;
    if (granted(path, descriptor)) return lockOn(descriptor);
    closeSync(descriptor);
    if (attempt < attempts) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
  return null;
}

/** True if someone holds the lock now. Makes nothing. */
export function isLocked(path: string): boolean {
  const descriptor = openLockFile(path, flags);
  if (descriptor === null) return false;
  try {
    // Shared: it is refused only by a holder, not by another one who looks.
    return !nativeLocks().tryLock(descriptor, { shared: true });
  } catch (error) {
    throw storeError("look at the lock", path, error);
  } finally {
    closeSync(descriptor);
  }
}

/** Null if there is no such file, or if it went away between looking and opening. */
function openLockFile(path: string, how: number): number | null {
  try {
    const descriptor = openSync(path, how, 0o600);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
    throw new Error("it is not a regular file");
  } catch (error) {
    if (errorCode(error) === "ENOENT" && (how & constants.O_CREAT) === 0) return null;
    throw storeError("open the lock", path, error);
  }
}

/** A lock on a file that someone replaced by another one would keep nobody out: the path must still lead to it. */
function granted(path: string, descriptor: number): boolean {
  try {
    if (!nativeLocks().tryLock(descriptor)) return false;
    const [ours, theirs] = [fstatSync(descriptor), lookAt(path)];
    return theirs !== null && ours.ino === theirs.ino && ours.dev === theirs.dev;
  } catch (error) {
    closeSync(descriptor);
    throw storeError("lock", path, error);
  }
}

function lockOn(descriptor: number): FileLock {
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      nativeLocks().unlock(descriptor);
      closeSync(descriptor);
    },
  };
}

let loaded: NativeLocks | null = null;

function nativeLocks(): NativeLocks {
  if (loaded !== null) return loaded;
  try {
    // A native part that is there for most systems: required when it is used, so that the rest works without it.
    loaded = createRequire(import.meta.url)("fs-native-extensions") as NativeLocks;
    return loaded;
  } catch (error) {
    const system = `${process.platform} ${process.arch}`;
    const message = `no file locks on this system (${system}): fs-native-extensions could not be loaded`;
    throw diskError("TP_LOCK_UNSUPPORTED", message, { fix: "reinstall task-phase on this machine" }, error);
  }
}

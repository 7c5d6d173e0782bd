import { closeSync, constants, existsSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { diskError } from "../report/errors.ts";
import { errorCode, storeError } from "./error-code.ts";
import { lookAt } from "./folder.ts";

export interface FileLock {
  /**
   * Gives the lock back; a second call does nothing. The kernel does the same when the process ends, however it ends.
   */
  release(): void;
}

/**
 * The native part of fs-native-extensions: locks of the kernel on an open file description (F_OFD_SETLK on Linux, flock
 * on macOS), from an offset on, for a length or, with 0, for all of it.
 */
interface NativeLocks {
  /** Throws EAGAIN if another one holds it. */
  tryLock(descriptor: number, offset: number, length: number, exclusive: boolean): void;
  unlock(descriptor: number, offset: number, length: number): void;
}

// Node opens with O_CLOEXEC, so no child keeps the lock. O_NONBLOCK: a pipe in the place must not hang us.
const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** The systems that the build brings the native part for. */
const lockSystems = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
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
    return !lockNow(descriptor, false);
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
    if (!lockNow(descriptor, true)) return false;
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
      nativeLocks().unlock(descriptor, 0, 0);
      closeSync(descriptor);
    },
  };
}

function lockNow(descriptor: number, exclusive: boolean): boolean {
  try {
    nativeLocks().tryLock(descriptor, 0, 0, exclusive);
    return true;
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return false;
    throw error;
  }
}

let loaded: NativeLocks | null = null;

/** Loaded when it is used: it comes compiled for some systems, and on the others all that takes no lock works. */
function nativeLocks(): NativeLocks {
  if (loaded !== null) return loaded;
  const system = `${process.platform}-${process.arch}`;
  try {
    const native = { exports: {} as NativeLocks };
    process.dlopen(native, nativeFile(system));
    loaded = native.exports;
    return loaded;
  } catch (error) {
    throw diskError("TP_LOCK_UNSUPPORTED", `no file locks on this system (${system})`, { fix: fixFor(system) }, error);
  }
}

/** In dist/, where the build puts it: beside the program that is one file, or above the compiled lib/. */
function nativeFile(system: string): string {
  const name = join("native", system, "fs-native-extensions.node");
  const [beside, above] = [join(import.meta.dirname, name), join(import.meta.dirname, "..", "..", name)];
  return existsSync(beside) ? beside : above;
}

function fixFor(system: string): string {
  return lockSystems.includes(system)
    ? "install task-phase again on this machine"
    : `task-phase takes locks on ${lockSystems.join(", ")}; run it on one of these`;
}

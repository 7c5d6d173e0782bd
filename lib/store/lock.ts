import { closeSync, constants, existsSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { diskError } from "../text/errors.ts";
import { errorCode, passMachineFault, storeError } from "./error-code.ts";
import { statEntry } from "./folder.ts";

export interface FileLock {
  /** Idempotent. The kernel releases too when the process ends. */
  release(): void;
}

/** Kernel locks on an open file description (F_OFD_SETLK, or flock on macOS); length 0 locks the whole file. */
interface NativeLocks {
  tryLock(descriptor: number, offset: number, length: number, exclusive: boolean): void;
  unlock(descriptor: number, offset: number, length: number): void;
}

// O_CLOEXEC, Node's default, keeps the lock from children; O_NONBLOCK keeps a pipe in the place from blocking.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** The build brings the native part for these. */
const lockSystems = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
const attempts = 4;
const pauseMs = 5;

/**
 * Null if it is held, in this process or another. Creates the lock file, with the rights that the umask gives to all files
 * of a folder that users share, and never removes it: a recreated file would be a second lock. Waits only a few
 * milliseconds, for an `isLocked` elsewhere. Several may hold it as `shared`. Throws TP_DISK or TP_LOCK_UNSUPPORTED.
 */
export function tryLock(path: string, how: "alone" | "shared" = "alone"): FileLock | null {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const descriptor = openLockFile(path, flags | constants.O_CREAT);
    if (descriptor === null) continue;
    if (granted(path, descriptor, how === "alone")) return lockOn(descriptor);
    closeSync(descriptor);
    if (attempt < attempts) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
  return null;
}

/** Needs no right but to read the file. */
export function isLocked(path: string): boolean {
  const descriptor = openLockFile(path, readFlags);
  if (descriptor === null) return false;
  try {
    // A shared lock is refused only by a holder, not by another check.
    return !lockNow(descriptor, false);
  } catch (error) {
    throw storeError("look at the lock", path, error);
  } finally {
    closeSync(descriptor);
  }
}

/** Null if there is no such file and no folder of it, or if it vanished before the open. */
function openLockFile(path: string, how: number): number | null {
  try {
    const descriptor = openSync(path, how, 0o666);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
    throw new Error("it is not a regular file");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error)) && (how & constants.O_CREAT) === 0) return null;
    throw storeError("open the lock", path, error);
  }
}

/** Someone may have replaced the file: the path must still lead to the locked one. */
function granted(path: string, descriptor: number, exclusive: boolean): boolean {
  try {
    if (!lockNow(descriptor, exclusive)) return false;
    const [ours, theirs] = [fstatSync(descriptor), statEntry(path)];
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

/** Loaded on use, so that systems without it can do all that needs no lock. */
function nativeLocks(): NativeLocks {
  loaded ??= loadLocks();
  return loaded;
}

function loadLocks(): NativeLocks {
  const system = `${process.platform}-${process.arch}`;
  const file = nativeFile(system);
  try {
    const native = { exports: {} as NativeLocks };
    process.dlopen(native, file);
    return native.exports;
  } catch (error) {
    requireDescriptor(file);
    throw diskError("TP_LOCK_UNSUPPORTED", `no file locks on this system (${system})`, { fix: fixFor(system) }, error);
  }
}

/** Throws what the machine lacks for opening the file; the error of `dlopen` has no code for it. */
function requireDescriptor(file: string): void {
  try {
    closeSync(openSync(file, constants.O_RDONLY));
  } catch (error) {
    passMachineFault(error);
  }
}

/** In dist/, beside the bundle or above the compiled lib/. */
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

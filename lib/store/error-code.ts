import { constants } from "node:os";
import { diskError, hasCode, TaskPhaseError } from "../text/errors.ts";

/** How Node names EDQUOT, ESTALE and others. */
const nameless = /^Unknown system error -(\d+)$/;
const names = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]));

/** Such as `ENOSPC`; `UNKNOWN` for anything but a system error. */
export function errorCode(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string") {
    return names.get(Number(nameless.exec(error.code)?.[1])) ?? error.code;
  }
  return "UNKNOWN";
}

const absent = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"]);

/** There is nothing at the path, and there cannot be: a file or a ring of links is above it, or it is too long. */
export function isAbsent(error: unknown): boolean {
  return absent.has(errorCode(error));
}

const plainWords: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EACCES: "permission is denied",
  EPERM: "the system does not allow it",
  EFBIG: "the file would be larger than allowed",
  EIO: "the disk reports an error",
  ELOOP: "there is a link",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "there is a folder",
  EMFILE: "too many files are open",
  ENFILE: "the machine has too many files open",
  ENOMEM: "the machine has no memory left",
  ESTALE: "the file server has lost it",
  ETIMEDOUT: "the file server does not answer",
  ENOTCONN: "the file system is no longer there",
  ENOENT: "it does not exist",
  EXDEV: "it cannot be moved from one file system to another",
  ENAMETOOLONG: "the name is too long",
};

const fixes: Readonly<Record<string, string>> = {
  ENOSPC: "free some space, then run it again",
  EDQUOT: "free some space, then run it again",
  EROFS: "make it writable, or work on a writable copy",
  EFBIG: "raise the limit (ulimit -f), then run it again",
  EIO: "check the disk, then run it again",
  EMFILE: "raise the limit (ulimit -n), then run it again",
  ENFILE: "end other programs, then run it again",
  ENOMEM: "end other programs, then run it again",
  ENOTDIR: "move away what is in place of a folder",
  EISDIR: "move the folder away",
  ENOENT: "make what is missing, then run it again",
  ELOOP: "move the link away",
  EXDEV: "keep .task-phase on the file system of the folder that holds it, then run it again",
};

const ofMachine = new Set(
  "ENOSPC EDQUOT EFBIG EIO EROFS EMFILE ENFILE ENOMEM ESTALE ETIMEDOUT ENOTCONN ENOLCK EBADMSG".split(" "),
);

/**
 * The error if the machine failed; null if the error is a fact about the files. A failing machine proves nothing about
 * anyone's work, so it ends the program with exit code 1.
 */
export function machineFault(error: unknown): TaskPhaseError | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof TaskPhaseError)
    return machineFault(error.cause) !== null || hasCode(error, "TP_MACHINE") ? error : null;
  const code = errorCode(error);
  // A number that only this system knows is an odd disk's, such as EUCLEAN of a damaged one.
  if (!ofMachine.has(code) && !nameless.test(code)) return machineFault(error.cause);
  const { syscall = "use", path = "a file" } = error as NodeJS.ErrnoException;
  return storeError(syscall, path, error);
}

/** For a catch that turns errors into values: rethrows machine faults. */
export function passMachineFault(error: unknown): void {
  const fault = machineFault(error);
  if (fault !== null) throw fault;
}

/** The result of `act`; `instead` if it throws an error that is a fact about the files. Machine faults are thrown. */
export function lookOr<Value, Other>(act: () => Value, instead: Other): Value | Other {
  try {
    return act();
  } catch (error) {
    passMachineFault(error);
    return instead;
  }
}

/** The error of a call about a path, in plain words; null for any other, which may be a defect. */
export function pathError(error: unknown): TaskPhaseError | null {
  const { syscall, path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (syscall === undefined || path === undefined) return null;
  return storeError(syscall, path, error, "give this user permission to use it, then run it again");
}

/** `the disk is full (ENOSPC)` */
export function renderError(error: unknown): string {
  const code = errorCode(error);
  return `${plainWords[code] ?? "the system refused"} (${code})`;
}

/** `cannot write /a/b: the disk is full (ENOSPC)`; passes on an error that already says so. */
export function storeError(
  action: string,
  path: string,
  cause: unknown,
  fix = "give this user write permission, then run it again",
): TaskPhaseError {
  if (cause instanceof TaskPhaseError) return cause;
  const code = errorCode(cause);
  const detail =
    cause instanceof Error && code === "UNKNOWN" ? cause.message : (plainWords[code] ?? "the system refused");
  return diskError(
    "TP_DISK",
    `cannot ${action} ${path}: ${detail} (${code})`,
    { file: path, fix: fixes[code] ?? fix },
    cause,
  );
}

/** The result of `act`; what it throws is thrown as a `storeError` of this action. */
export function storing<Value>(action: string, path: string, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    throw storeError(action, path, error);
  }
}

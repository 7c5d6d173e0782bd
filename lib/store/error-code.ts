import { diskError, type TaskPhaseError } from "../report/errors.ts";

/** The code of a system error, such as `ENOSPC`; `UNKNOWN` for anything else that was thrown. */
export function errorCode(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string") {
    return error.code;
  }
  return "UNKNOWN";
}

const plainWords: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EACCES: "permission is denied",
  EPERM: "the system does not allow it",
  EIO: "the disk reports an error",
  ELOOP: "there is a link",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "there is a folder",
  EMFILE: "too many files are open",
  ENOENT: "it does not exist",
  ENAMETOOLONG: "the name is too long",
};

const fixes: Readonly<Record<string, string>> = {
  ENOSPC: "free some space, then run it again",
  EDQUOT: "free some space, then run it again",
  EROFS: "make it writable, or work on a writable copy",
  ENOTDIR: "move away what is in place of a folder",
  EISDIR: "move the folder away",
  ELOOP: "move the link away",
};

/** `the disk is full (ENOSPC)`: a system error in plain words. */
export function describeError(error: unknown): string {
  const code = errorCode(error);
  return `${plainWords[code] ?? "the system refused"} (${code})`;
}

/** `cannot write /a/b: the disk is full (ENOSPC)`; an error that says so already is passed on as it is. */
export function storeError(action: string, path: string, cause: unknown): TaskPhaseError {
  if (cause instanceof Error && cause.name === "TaskPhaseError") return cause as TaskPhaseError;
  const code = errorCode(cause);
  const detail =
    cause instanceof Error && code === "UNKNOWN" ? cause.message : (plainWords[code] ?? "the system refused");
  return diskError(
    "TP_DISK",
    `cannot ${action} ${path}: ${detail} (${code})`,
    { file: path, fix: fixes[code] ?? "give this user write permission, then run it again" },
    cause,
  );
}

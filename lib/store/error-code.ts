import type { TaskPhaseError } from "../report/errors.ts";
import { diskError } from "../report/errors.ts";

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
  ELOOP: "a link stands there",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "a folder stands there",
  EMFILE: "too many files are open",
  ENOENT: "it is not there",
  ENAMETOOLONG: "the name is too long",
};

/** `cannot write /a/b: the disk is full (ENOSPC)`; an error that says so already is passed on as it is. */
export function storeError(action: string, path: string, cause: unknown): TaskPhaseError {
  if (cause instanceof Error && cause.name === "TaskPhaseError") return cause as TaskPhaseError;
  const code = errorCode(cause);
  const detail =
    cause instanceof Error && code === "UNKNOWN" ? cause.message : (plainWords[code] ?? "the system refused");
  return diskError("TP_DISK", `cannot ${action} ${path}: ${detail} (${code})`, { file: path }, cause);
}

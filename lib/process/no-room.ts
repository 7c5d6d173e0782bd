import { diskError, type TaskPhaseError } from "../report/errors.ts";

/** The system's error codes for no room for one more process or open file; they say nothing about the program. */
const words: Readonly<Record<string, string>> = {
  EMFILE: "this process has too many files open",
  ENFILE: "the machine has too many files open",
  ENOMEM: "the machine has no memory left",
  EAGAIN: "the machine has too many processes",
};

/** The failure of this machine that kept something from being done; null if the error is about something else. */
export function machineError(what: string, cause: unknown): TaskPhaseError | null {
  const code = codeOf(cause);
  const said = code === null ? undefined : words[code];
  if (said === undefined) return null;
  const fix = "end other programs, or raise the limit (ulimit -n, ulimit -u), then run it again";
  return diskError("TP_MACHINE", `${what}: ${said} (${code})`, { fix }, cause);
}

/** Of the error, or of what caused it. */
function codeOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return "cause" in error ? codeOf(error.cause) : null;
}

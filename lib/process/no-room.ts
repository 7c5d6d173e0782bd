import { diskError, type TaskPhaseError } from "../text/errors.ts";

/** No room for another process or open file; says nothing about the program. */
const words: Readonly<Record<string, string>> = {
  EMFILE: "this process has too many files open",
  ENFILE: "the machine has too many files open",
  ENOMEM: "the machine has no memory left",
  EAGAIN: "the machine has too many processes",
};

/** Null if the error is not the machine's. */
export function machineError(what: string, cause: unknown): TaskPhaseError | null {
  const code = codeOf(cause);
  const said = code === null ? undefined : words[code];
  if (said === undefined) return null;
  const fix = "end other programs, or raise the limit (ulimit -n, ulimit -u), then run it again";
  return diskError("TP_MACHINE", `${what}: ${said} (${code})`, { fix }, cause);
}

/** From the error or its cause. */
function codeOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return "cause" in error ? codeOf(error.cause) : null;
}

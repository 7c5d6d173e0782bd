import { configError, lockedError, TaskPhaseError } from "../../text/errors.ts";
import { errorFinding } from "../../text/finding.ts";
import { shorten } from "../../text/shorten.ts";

/**
 * Classes and codes of SQLSTATE (PostgreSQL, appendix A) for a server that is away, ends, starts, is full, or gave up on
 * a lock; 25006 is a standby that is not promoted yet.
 */
const away = /^(?:08|53|57P|40|25P03|25006|55P03|57014)/;
/** There is no such schema, table, column or function. */
const absent = /^(?:3F000|42P01|42703|42883)/;
/** The login, the database or the rights. */
const refused = /^(?:28|3D000|42501)/;

/**
 * What a failed call means, in words that hold neither the URL nor a part of it: of a connection that failed only the
 * code, and no cause. What is no answer of a server or network comes back as it is.
 */
export function readEngineError(urlEnv: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof TaskPhaseError) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const isAnswer = "severity" in error && code !== null;
  if (isAnswer) {
    if (absent.test(code)) return notSetUp(urlEnv, `its tables are missing or older than this version (${code})`);
    if (refused.test(code)) return refusal(urlEnv, code);
    if (away.test(code)) return unreachable(urlEnv, code);
    const message = `the engine of ${urlEnv} failed: ${shorten(error.message, 200)} (${code})`;
    return new TaskPhaseError("failure", [errorFinding("TP_ENGINE_FAILED", message)]);
  }
  if (code === "ERR_ASSERTION") return error;
  if (code !== null && /CERT|SSL|TLS|SIGNED/.test(code)) return refusal(urlEnv, code);
  if (code !== null && /^E[A-Z_]+$/.test(code) && !code.startsWith("ERR_")) return unreachable(urlEnv, code);
  if (/SSL|SASL|password/i.test(error.message)) return refusal(urlEnv, "login");
  if (/connect|timeout|timed out|terminated|not queryable/i.test(error.message)) return unreachable(urlEnv, null);
  return error;
}

export function notSetUp(urlEnv: string, why: string): TaskPhaseError {
  const message = `the engine of ${urlEnv} is not set up: ${why}`;
  return configError("TP_ENGINE_NOT_SET_UP", message, { fix: "run `task-phase fleet setup`" });
}

function refusal(urlEnv: string, code: string): TaskPhaseError {
  const message = `the engine of ${urlEnv} refuses this login, database or certificate (${code})`;
  const fix = `correct the URL in ${urlEnv}, or let its user own the schema`;
  return configError("TP_ENGINE_REFUSED", message, { fix });
}

function unreachable(urlEnv: string, code: string | null): TaskPhaseError {
  const message = `the engine of ${urlEnv} does not answer${code === null ? "" : ` (${code})`}`;
  return lockedError("TP_ENGINE_UNREACHABLE", message, { fix: "run it again when PostgreSQL is back" });
}

/** The next call repeats what the engine missed. */
export function ignoreFault(error: unknown): void {
  if (!(error instanceof TaskPhaseError)) throw error;
}

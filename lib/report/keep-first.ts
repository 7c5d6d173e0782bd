import { TaskPhaseError } from "./errors.ts";
import { warningFinding } from "./finding.ts";

/**
 * Runs `act`, and `cleanUp` in any case. If both throw, the error of `act` is the one that counts: what `cleanUp` threw
 * is one line beside it, and both are in the cause. `finally` alone would hide the first by the second.
 */
export async function keepFirst<Value>(act: () => Promise<Value>, cleanUp: () => unknown): Promise<Value> {
  let value: Value;
  try {
    value = await act();
  } catch (first) {
    try {
      await cleanUp();
    } catch (second) {
      throw joinErrors(first, second);
    }
    throw first;
  }
  await cleanUp();
  return value;
}

/** The error, once `cleanUp` ran; with what that threw beside it. */
export function withCleanUp(first: unknown, cleanUp: () => void): unknown {
  try {
    cleanUp();
    return first;
  } catch (second) {
    return joinErrors(first, second);
  }
}

/** The first error, with the findings of the second. */
export function joinErrors(first: unknown, second: unknown): Error {
  const note = warningFinding("TP_CLEANUP", `what was left could not be cleared away either: ${say(second)}`);
  const cause = new AggregateError([first, second], say(first));
  if (first instanceof TaskPhaseError) return new TaskPhaseError(first.exitName, [...first.findings, note], { cause });
  return new Error(`${say(first)}; ${note.message}`, { cause });
}

function say(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import type { ExitName } from "./exit-codes.ts";
import { errorFinding, type Finding, type FindingPlace, warningFinding } from "./finding.ts";

/**
 * An error that stops the program in a way that was foreseen: it carries the findings that a person reads and the
 * exit code that a script reads. Anything else that is thrown is a defect and ends with exit code 1.
 */
export class TaskPhaseError extends Error {
  readonly exitName: ExitName;
  readonly findings: readonly Finding[];

  constructor(exitName: ExitName, findings: readonly Finding[], options: { cause?: unknown } = {}) {
    super(findings.map((finding) => finding.message).join("\n"), options);
    this.name = "TaskPhaseError";
    this.exitName = exitName;
    this.findings = findings;
  }
}

/** Whether an error is the one with this code, which its first finding has. */
export function hasCode(error: unknown, code: string): error is TaskPhaseError {
  return error instanceof TaskPhaseError && error.findings[0]?.code === code;
}

/** The command line is wrong: exit 64. */
export function usageError(code: string, message: string, place: FindingPlace = {}): TaskPhaseError {
  return new TaskPhaseError("usage", [errorFinding(code, message, place)]);
}

/** A task file cannot be read as what it must be: exit 65. */
export function dataError(code: string, message: string, place: FindingPlace = {}): TaskPhaseError {
  return new TaskPhaseError("data", [errorFinding(code, message, place)]);
}

/** Readable, but wrong: exit 78. */
export function configError(code: string, message: string, place: FindingPlace = {}): TaskPhaseError {
  return new TaskPhaseError("config", [errorFinding(code, message, place)]);
}

/** Another runner is at work there; safe to try again: exit 75. */
export function lockedError(code: string, message: string, place: FindingPlace = {}): TaskPhaseError {
  return new TaskPhaseError("locked", [errorFinding(code, message, place)]);
}

/** The disk or the operating system refused: exit 1. */
export function diskError(code: string, message: string, place: FindingPlace = {}, cause?: unknown): TaskPhaseError {
  return new TaskPhaseError("failure", [errorFinding(code, message, place)], { cause });
}

/**
 * Runs `act`, and `cleanUp` in any case. If both throw, the error of `act` is the one that counts: what `cleanUp` threw
 * is one line beside it, and both are in the cause. `finally` alone would hide the first by the second.
 */
export async function runWithCleanUp<Value>(act: () => Promise<Value>, cleanUp: () => unknown): Promise<Value> {
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
function joinErrors(first: unknown, second: unknown): Error {
  const note = warningFinding("TP_CLEANUP", `what was left could not be cleared away either: ${messageOf(second)}`);
  const cause = new AggregateError([first, second], messageOf(first));
  if (first instanceof TaskPhaseError) return new TaskPhaseError(first.exitName, [...first.findings, note], { cause });
  return new Error(`${messageOf(first)}; ${note.message}`, { cause });
}

/** What anything that was thrown says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The error if it was foreseen; any other, a defect, as a failure whose message begins with `what`. */
export function asForeseen(error: unknown, what: string, place: FindingPlace = {}): TaskPhaseError {
  if (error instanceof TaskPhaseError) return error;
  const finding = errorFinding("TP_UNEXPECTED", `${what}: ${messageOf(error)}`, place);
  return new TaskPhaseError("failure", [finding], { cause: error });
}

import type { ExitName } from "./exit-codes.ts";
import { errorFinding, type Finding, type FindingPlace } from "./finding.ts";

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

/** The disk or the operating system refused: exit 1. */
export function diskError(code: string, message: string, place: FindingPlace = {}, cause?: unknown): TaskPhaseError {
  return new TaskPhaseError("failure", [errorFinding(code, message, place)], { cause });
}

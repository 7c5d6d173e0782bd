/**
 * One remark about someone's file. Findings are collected and all shown; they never stop the program by themselves.
 * The shape is that of a vfile message, flattened so that it can be in JSON.
 */
export interface Finding {
  readonly severity: "error" | "warning" | "info";
  /** Stable, starts with `TP_`. */
  readonly code: string;
  /** The problem, what was expected and what was found. One or two sentences, no trailing newline. */
  readonly message: string;
  /** As the person would type it, or absolute; null if the finding is about no file. */
  readonly file: string | null;
  /** 1-based; null if it is not known. */
  readonly line: number | null;
  /** 1-based, in UTF-16 code units; null if it is not known. */
  readonly column: number | null;
  /** The next step; null if there is nothing to add. */
  readonly fix: string | null;
}

export type FindingPlace = { file?: string | null; line?: number | null; column?: number | null; fix?: string | null };

export function errorFinding(code: string, message: string, place: FindingPlace = {}): Finding {
  return makeFinding("error", code, message, place);
}

export function warningFinding(code: string, message: string, place: FindingPlace = {}): Finding {
  return makeFinding("warning", code, message, place);
}

export function infoFinding(code: string, message: string, place: FindingPlace = {}): Finding {
  return makeFinding("info", code, message, place);
}

export function asWarning(finding: Finding): Finding {
  return finding.severity === "error" ? { ...finding, severity: "warning" } : finding;
}

/** Each finding once: a problem in a file that many tasks share is found with each of them. */
export function distinctFindings(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === "error");
}

function makeFinding(severity: Finding["severity"], code: string, message: string, place: FindingPlace): Finding {
  return {
    severity,
    code,
    message,
    file: place.file ?? null,
    line: place.line ?? null,
    column: place.column ?? null,
    fix: place.fix ?? null,
  };
}

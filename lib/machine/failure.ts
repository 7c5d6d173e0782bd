import type { CheckResult, Reason, Verdict } from "./facts.ts";

/**
 * What makes two failures the same one: the failing names and what they said, without what differs from run to run
 * (times, numbers, paths, hashes). A word for word comparison, cut to 2,000 characters, so that it can be read in the
 * journal.
 */
export function failureSignature(verdict: Verdict, reasons: readonly Reason[], failed: readonly CheckResult[]): string {
  if (verdict === "no_progress") return "no_progress";
  const checks = failed.map((check) => `${check.kind} ${check.name}: ${normalizeOutput(check.excerpt)}`);
  const others = reasons.filter((reason) => reason.category !== "progress").map((reason) => `${reason.code}: ${normalizeOutput(reason.text)}`);
  const parts = checks.length > 0 ? checks : others;
  return `${verdict} ${[...parts].sort().join(" | ")}`.slice(0, 2000);
}

/** Drops what differs between two runs of the same failure. */
export function normalizeOutput(output: string): string {
  return output
    .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g, "TIME")
    .replace(/\b[0-9a-f]{7,64}\b/gi, "HASH")
    .replace(/(?:[A-Za-z]:)?(?:[\w.@+-]*[/\\])+[\w.@+-]*/g, "PATH")
    .replace(/\d+(?:\.\d+)?/g, "N")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 1500);
}

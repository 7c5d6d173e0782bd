import type { CheckResult, Reason, Verdict } from "./facts.ts";

/**
 * What makes two failures the same one: the failing names and what they said, without what differs from run to run
 * (times, numbers, paths, hashes). A word for word comparison, cut to 2,000 characters, so that it can be read in the
 * journal.
 */
export function failureSignature(verdict: Verdict, reasons: readonly Reason[], failed: readonly CheckResult[]): string {
  if (verdict === "no_progress") return "no_progress";
  const checks = failed.map((check) => `${check.kind} ${check.name}: ${normalizeOutput(check.excerpt)}`);
  const others = reasons
    .filter((reason) => reason.category !== "progress")
    .map((reason) => `${reason.code}: ${normalizeOutput(reason.text)}`);
  const parts = checks.length > 0 ? checks : others;
  // The names come first, so that the cut cannot hide one.
  const names = failed
    .map((check) => `${check.kind} ${check.name}`)
    .sort()
    .join(", ");
  return `${verdict} ${[names, ...[...parts].sort()].filter((part) => part !== "").join(" | ")}`.slice(0, 2000);
}

/** Drops what differs between two runs of the same failure. */
export function normalizeOutput(output: string): string {
  return (
    output
      .slice(0, 4000)
      .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g, "TIME")
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "HASH")
      .replace(/\b0x[0-9a-f]+\b/gi, "HASH")
      // Seven digits and more may be a hash or a number: only a letter makes it a hash.
      .replace(/\b(?=\d*[a-f])[0-9a-f]{7,64}\b/gi, "HASH")
      .replace(/(?:[A-Za-z]:)?(?:[\w.@+-]*[/\\])+[\w.@+-]*/g, "PATH")
      // 998ms in one run is 1.02s or 1m 2s in the next.
      .replace(/(?:\d+(?:\.\d+)? ?(?:ns|us|µs|ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?)\b ?)+/g, "TIME ")
      .replace(/\d+(?:[.,]\d+)*/g, "N")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, 1500)
  );
}

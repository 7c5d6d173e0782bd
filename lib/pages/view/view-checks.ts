import { type CheckResult, renderAttribution } from "../../rules/check-run.ts";
import { renderTaken } from "../../rules/fresh.ts";
import { formatDuration } from "../../text/duration.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { type ComparedCheck, countRequired } from "../model/compare-checks.ts";
import type { CheckSection } from "../model/evidence-model.ts";
import { formatTime, words } from "./words.ts";

export function viewSection(checks: CheckSection) {
  const { pass, attempts, voided } = checks;
  return {
    pass,
    attempts,
    voided,
    at: formatTime(checks.at),
    fingerprint: checks.fingerprint,
    moved: checks.moved.join(", "),
  };
}

export function viewCheck(check: CheckResult) {
  return {
    name: check.name,
    kind: check.required ? check.kind : `${check.kind}, not required`,
    passed: check.status === "pass",
    status: check.unmet === undefined ? words(check.status) : `${words(check.status)}: ${check.unmet}`,
    /** As a person would type it in a shell; empty if the journal does not say. */
    command: check.command.map(quoteWord).join(" "),
    exit: check.exit_code !== null ? String(check.exit_code) : (check.signal ?? "none"),
    duration: formatDuration(check.duration_ms),
    excerpt: check.excerpt,
  };
}

export function viewCompared(each: ComparedCheck) {
  return {
    name: each.name,
    kind: each.required ? each.kind : `${each.kind}, not required`,
    compared: each.now === null ? "" : renderAttribution(each.now),
    good: each.now?.attribution !== "regressed" && each.now?.attribution !== "broken_before",
  };
}

/** One line on the newest checks. */
export function checksLine(checks: CheckSection): string {
  const { passed, ran } = countRequired(checks.results);
  const line = `${passed} of ${ran} required checks pass${checks.taken === null ? "" : ` (${renderTaken(checks.taken)})`}`;
  return checks.voided ? `${line}; invalid, since the brief changed afterwards` : line;
}

import type { CheckResult } from "./check-run.ts";
import type { Failure, Reason, Verdict } from "./decision.ts";
import { type Phase, phases } from "./phases.ts";
import { stateFields } from "./state-view.ts";

/** A message lists at most this many; the newest matter most. */
const namedPasses = 10;

/** Counts up if the failure repeats, otherwise starts at 1. */
export function addFailure(earlier: Failure | null, signature: string, pass: number): Failure {
  const same = earlier !== null && earlier.signature === signature ? earlier : null;
  const count = (same?.count ?? 0) + 1;
  return { signature, count, passes: [...(same?.passes ?? []), pass].slice(-namedPasses) };
}

/** Whether repair and verify come before it can be seen again. */
export function isRedirected({ signature }: Failure): boolean {
  return signature.startsWith("redirected ");
}

/** Whether no other pass, such as an accepted repair, came between these failures. */
export function isRow({ count, passes }: Failure): boolean {
  const [first, last] = [passes[0], passes.at(-1)];
  if (count === 1) return true;
  return first !== undefined && last !== undefined && passes.length === count && last - first === count - 1;
}

/** log.txt and last_error.txt have the whole reason. */
const mostRepeated = 120;

/**
 * At most 120 characters, a cut marked `…`, for a sentence that quotes a reason in brackets. A cut leaves no code open:
 * it is left out, or ends with the cut if it begins in the first half.
 */
export function briefly(reason: string): string {
  const characters = Array.from(reason.slice(0, 2 * mostRepeated + 2));
  if (characters.length <= mostRepeated) return reason;
  const kept = characters.slice(0, mostRepeated - 1).join("");
  if (kept.split("`").length % 2 === 1) return `${kept}…`;
  const start = kept.lastIndexOf("`");
  return start > mostRepeated / 2
    ? `${kept.slice(0, start).trimEnd()}…`
    : `${characters.slice(0, mostRepeated - 2).join("")}…\``;
}

/**
 * How often it failed, what failed, in which passes, what the retries were told, and how the model's program last ended
 * if badly.
 */
export function renderFailures(failure: Failure, reason: string, trouble: string | null = null): string {
  const { count, passes } = failure;
  const what = briefly(reason);
  const end = trouble === null ? "" : `; in the newest the model ${trouble}`;
  if (count === 1) return `the pass failed (${what}), and \`retries_per_failure\` allows no retry${end}`;
  const list = passes.join(", ").replace(/, (\d+)$/, " and $1");
  const tried =
    passes.length < 2 ? "" : `: passes ${list}, and each retry was told to try less and to change one thing`;
  return `${count} passes${isRow(failure) ? " in a row" : ""} ended the same way (${what})${tried}${end}`;
}

/**
 * Equal for repetitions of one failure: the failing names and their output without times, numbers, paths, hashes and
 * line order. At most 2,000 characters for the journal; a longer one ends with a hash of the whole.
 */
export function failureSignature(verdict: Verdict, reasons: readonly Reason[], failed: readonly CheckResult[]): string {
  if (verdict === "no_progress") return "no_progress";
  const checks = failed.map((check) => [nameOf(check), whatItSaid(check)].filter((part) => part !== "").join(": "));
  const others = reasons
    .filter((reason) => reason.category !== "progress")
    .map((reason) => `${reason.code}: ${normalizeOutput(reason.text)}`);
  const parts = [...new Set(checks.length > 0 ? checks : others)].sort();
  // Names first, so that a cut spares them as long as possible.
  const names = failed.map(nameOf).sort().join(", ");
  return fit(`${verdict} ${[names, ...parts].filter((part) => part !== "").join(" | ")}`, 2000);
}

function nameOf({ kind, name, status }: CheckResult): string {
  return `${kind} ${name}${status === "fail" ? "" : ` (${status.replace("_", " ")})`}`;
}

/** Output up to a timeout does not explain the hang. */
function whatItSaid({ status, excerpt }: CheckResult): string {
  return status === "timeout" ? "" : normalizeOutput(excerpt);
}

const day = "(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?";
const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\\.?";
const clock = "\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?";
const unit = "(?:ns|us|µs|μs|ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?)";

/** The order matters: later rules would split what earlier ones match. */
const changing: readonly (readonly [RegExp, string])[] = [
  // Terminal sequences.
  [/[^\P{Cc}\s](?:\[[0-?]*[ -/]*[@-~]|\]\P{Cc}*(?:\p{Cc}\\?)?)?/gu, ""],
  [/[^\S\n]+/g, " "],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?/g, "TIME"],
  [new RegExp(`\\b${day}(?:${month} \\d{1,2}|\\d{1,2} ${month})(?:,? \\d{4})?(?:,? ${clock})?\\b`, "g"), "TIME"],
  [new RegExp(`\\b${clock} ?[AaPp]\\.?[Mm]\\b`, "g"), "TIME"],
  [/(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])/gi, "N"],
  [/\b0x[0-9a-f]+\b/gi, "N"],
  // A hash has a letter and a digit; without a letter it is a number below.
  [/(?<![0-9a-z])(?=[a-f]{0,63}\d)(?=\d{0,63}[a-f])[0-9a-f]{6,}(?![0-9a-z])/gi, "N"],
  // Ids such as 01ARZ3NDEKTSV4RRFFQ69G5FAV: digits in three places of a long word.
  [/(?<![0-9a-z])(?=[a-z]*\d+[a-z]+\d+[a-z]+\d)[0-9a-z]{12,}(?![0-9a-z])/gi, "N"],
  [/\b[a-z][a-z+.-]{1,9}:\/\/[^\s"'`<>()[\]]+/gi, "PATH"],
  [/(?<![\w.@+-])(?:[A-Za-z]:|~)?[/\\][\w.@+~%-]*(?:[/\\][\w.@+~%-]*)*/g, "PATH"],
  // Keep the last part of a path, the name of what failed.
  [/(?:[\w.@+-]{1,255}[/\\])+(?=[\w.@+-])/g, ""],
  [new RegExp(`(?<![\\w.,])(?:\\d+(?:[.,]\\d+)* ?${unit}\\b ?)+`, "g"), "TIME "],
  [/(?<![\w.,])\d+(?:[.,]\d+)* ?(?:[kKMGT]i?)?B\b/g, "SIZE"],
  [/(?<![\w)\]])[-+](?=\d)/g, ""],
  // An error's code is its name: `error TS2345` differs from `error TS2339`.
  [/(?<!\d)(?<!\b(?:[Ee]rror|ERROR|[Ww]arning|[Ff]atal)[\s:[(]{0,2}[A-Z]{1,5})\d+(?:[.,:]\d+)*(?:[eE][-+]?\d+)?/g, "N"],
];

/** Drops what varies between runs of one failure. Lines count as a set, since parallel tests end in any order. */
export function normalizeOutput(output: string): string {
  const text = changing.reduce((before, [pattern, word]) => before.replace(pattern, word), output.slice(0, 4000));
  const lines = text.split("\n").map((line) => line.replace(/ +/g, " ").trim());
  return fit([...new Set(lines.filter((line) => line !== ""))].sort().join(" "), 1500);
}

/** Cuts to the beginning and a hash of the whole. */
function fit(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = ` … ${hashOf(text)}`;
  return text.slice(0, max - tail.length) + tail;
}

/** Two rounds of FNV-1a, 64 bits: distinguishes texts, but is no protection. */
function hashOf(text: string): string {
  return [0x811c9dc5, 0x9747b28c]
    .map((start) => {
      let hash = start;
      for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
      return (hash >>> 0).toString(16).padStart(8, "0");
    })
    .join("");
}

const forms: Readonly<Record<string, string>> = {
  candidate_done: "- Candidate done: yes",
  no_blockers: "- Blockers: none",
  blockers_filled: "- Blockers: what is missing, and who can provide it",
  evidence_exists: "- Evidence location: artifacts/",
  ticket_given: "- what is wrong, where, and how to see it",
  features_listed: "| the feature | real_working | artifacts/its-proof.txt |",
  feature_labels: "| the feature | real_working | artifacts/its-proof.txt |",
  features_proven: "| the feature | real_working | artifacts/its-proof.txt |",
  question_open: "## Q1: the question in one line?",
  steps_done: "- [x] the item exactly as written there",
};

/** The line to write instead, by the reason's code; null if no single line would do. */
export function wantedForm({ code }: Pick<Reason, "code">, from: Phase): string | null {
  // There the phase is the model's judgement of the work, and an example would put one into its mouth.
  if (code === "illegal_transition" && (from === "verify" || from === "review")) return null;
  if (code === "illegal_transition") return `- Phase: ${phases[from].next[0] ?? from}`;
  const field = stateFields.find(({ key }) => code === `${key}_filled`);
  return forms[code] ?? (field === undefined ? null : `- ${field.label}: what holds, in one line`);
}

export function withWantedForm(reason: Reason, from: Phase): string {
  const form = wantedForm(reason, from);
  return form === null ? reason.text : `${reason.text}. Write it so: \`${form}\``;
}

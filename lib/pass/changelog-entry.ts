import { formatCost, formatTokens } from "../evidence/words.ts";
import type { RepoDescription } from "../git/list-paths.ts";
import type { VerdictEvent } from "../machine/events.ts";
import { mdCode, mdInline, mdLink } from "../templates/markdown-escape.ts";
import { relativeHref } from "../templates/relative-href.ts";
import { showShort } from "../templates/visible.ts";

type Verdict = Pick<
  VerdictEvent,
  "at" | "pass" | "from" | "to" | "verdict" | "reason" | "end" | "checks" | "cost_usd" | "tokens"
>;

/** What one pass says of the model that did it. */
export interface ChangelogFacts {
  readonly task: string;
  /** The name of the task's folder. */
  readonly folder: string;
  readonly verdict: Verdict;
  /** The error with which the model ended; null where it ended without one. */
  readonly error: string | null;
  /** Null where no prompt is known. */
  readonly promptSha256: string | null;
  readonly repo: RepoDescription;
  readonly changedPaths: VerdictEvent["changed_paths"];
  /** Relative to the task folder; those that are there. */
  readonly logs: readonly string[];
  /** ISO 8601, UTC; null where the pass met no limit. */
  readonly cooldownUntil: string | null;
}

export type ModelStatus = "success" | "rate_limited" | "timeout" | "error";

const maxListedPaths = 20;
const maxReason = 500;
const none = "–";

/** The first lines of a model's changelog. */
export function changelogHead(model: string): string {
  const about = "One entry a pass, the newest last. task-phase writes this file, and no pass may change it.";
  return `# ${mdInline(`Passes of ${model}`)}\n\n${about}\n`;
}

/** One entry of a model's changelog, behind an empty line. The texts in it must be redacted already. */
export function changelogEntry(facts: ChangelogFacts): string {
  const { verdict, error, repo } = facts;
  const items = [
    `Status: ${statusOf(verdict, error)}`,
    `Verdict: ${verdict.verdict}`,
    `Reason: ${mdInline(showShort(verdict.reason, maxReason)) || none}`,
    ...(error === null ? [] : [`Error: ${mdInline(showShort(error, maxReason)) || none}`]),
    ...(facts.cooldownUntil === null ? [] : [`Cools down until: ${facts.cooldownUntil}`]),
    `Phase: ${verdict.from} → ${verdict.to}`,
    `Prompt: ${facts.promptSha256 === null ? none : `sha256 ${mdCode(facts.promptSha256)}`}`,
    `Branch: ${repo.branch === null ? none : mdCode(repo.branch)}`,
    `Dirty: ${repo.dirty === null ? none : repo.dirty ? "yes" : "no"}`,
    `Changed files: ${facts.changedPaths.length}${listPaths(facts.changedPaths)}`,
    `Validators: ${listChecks(verdict)}`,
    `Logs: ${facts.logs.map((log) => mdLink(log, linkTo(facts.folder, log))).join(", ") || none}`,
    `Cost: ${formatCost(verdict.cost_usd)}`,
    `Tokens: ${formatTokens(verdict.tokens)}`,
  ];
  const title = `## ${mdInline(facts.task)}, pass ${verdict.pass}, ${verdict.at}`;
  return `\n${title}\n\n${items.map((item) => `- ${item}\n`).join("")}`;
}

/** What came of the call itself, whatever the runner made of the work. */
export function statusOf({ end, verdict }: Pick<Verdict, "end" | "verdict">, error: string | null): ModelStatus {
  if (end.kind === "limited") return "rate_limited";
  if (end.kind === "timed_out") return "timeout";
  if (end.kind !== "exited" || error !== null || end.signal !== null) return "error";
  // Nothing came out of it, or it broke off without a word.
  return verdict === "unavailable" || (!end.result_event && end.exit_code !== 0) ? "error" : "success";
}

function listPaths(paths: ChangelogFacts["changedPaths"]): string {
  const left = paths.length - maxListedPaths;
  const lines = paths.slice(0, maxListedPaths).map(({ path, change }) => `${mdCode(path)} ${mdInline(change)}`);
  return inner(left > 0 ? [...lines, `and ${left} more`] : lines);
}

function listChecks({ checks }: Verdict): string {
  if (checks === null || checks.results.length === 0) return "none ran";
  const lines = checks.results.map(({ kind, name, status, attribution }) => {
    const known = attribution === null ? "" : ` (${attribution.replaceAll("_", " ")})`;
    return `${kind} ${mdInline(name)}: ${status.replace("_", " ")}${known}`;
  });
  return `${lines.length}${inner(lines)}`;
}

function inner(lines: readonly string[]): string {
  return lines.map((line) => `\n  - ${line}`).join("");
}

function linkTo(folder: string, log: string): string | null {
  return relativeHref(`${folder}/${log}`, ".task-phase/changelog");
}

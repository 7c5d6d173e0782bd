import type { ListItem, PhrasingContent } from "mdast";
import {
  code,
  heading,
  item,
  link,
  list,
  paragraph,
  source,
  words,
  writeMarkdown,
} from "../../documents/templates/markdown-nodes.ts";
import { relativeHref } from "../../documents/templates/relative-href.ts";
import { showShort } from "../../documents/templates/visible.ts";
import type { RepoDescription } from "../../git/list-paths.ts";
import { formatCost, formatTokens } from "../../pages/view/format.ts";
import { renderAttribution } from "../../rules/check-run.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";

type Verdict = Pick<
  VerdictEvent,
  "at" | "pass" | "from" | "to" | "verdict" | "reason" | "end" | "checks" | "cost_usd" | "tokens"
>;

export interface ChangelogFacts {
  readonly task: string;
  readonly folder: string;
  readonly model: string;
  /** The id of the call of the loop; null if the pass belongs to none. */
  readonly run: string | null;
  readonly verdict: Verdict;
  /** The error with which the model ended; null if it ended without one. */
  readonly error: string | null;
  /** Null if no prompt is known. */
  readonly promptSha256: string | null;
  readonly repo: RepoDescription;
  readonly changedPaths: VerdictEvent["changed_paths"];
  /** Relative to the task folder; those that are there. */
  readonly logs: readonly string[];
  /** ISO 8601, UTC; null if the pass met no limit. */
  readonly cooldownUntil: string | null;
}

export type ModelStatus = "success" | "rate_limited" | "timeout" | "interrupted" | "error";

const maxListedPaths = 20;
const maxReason = 500;
const none = "–";

export function changelogHead(model: string): string {
  const about = words`One entry a pass, the newest last. task-phase writes this file, and no pass may change it.`;
  return writeMarkdown(heading(1, words`Passes of ${model}`), paragraph(about));
}

/** One entry of a model's changelog, behind an empty line. The texts in it must be redacted already. */
export function changelogEntry(facts: ChangelogFacts): string {
  const { verdict, error, repo } = facts;
  const validators = verdict.checks?.results ?? [];
  const logs = facts.logs.flatMap((log, index) => [
    ...words`${index === 0 ? "" : words`, `}`,
    ...link(log, relativeHref(`${facts.folder}/${log}`, ".task-phase/changelog")),
  ]);
  const items = [
    item(words`Model: ${showShort(facts.model, 80) || none}`),
    item(words`Run: ${facts.run === null ? none : code(facts.run)}`),
    item(words`Status: ${statusOf(verdict, error)}`),
    item(words`Verdict: ${verdict.verdict}`),
    item(words`Reason: ${showShort(verdict.reason, maxReason) || none}`),
    ...(error === null ? [] : [item(words`Error: ${showShort(error, maxReason) || none}`)]),
    ...(facts.cooldownUntil === null ? [] : [item(words`Cools down until: ${source(facts.cooldownUntil)}`)]),
    item(words`Phase: ${verdict.from} → ${verdict.to}`),
    item(words`Prompt: ${facts.promptSha256 === null ? none : words`sha256 ${code(facts.promptSha256)}`}`),
    item(words`Branch: ${repo.branch === null ? none : code(repo.branch)}`),
    item(words`Dirty: ${repo.dirty === null ? none : repo.dirty ? "yes" : "no"}`),
    itemWith(words`Changed files: ${facts.changedPaths.length}`, listPaths(facts.changedPaths)),
    itemWith(
      words`Validators: ${validators.length === 0 ? "none ran" : validators.length}`,
      validators.map(renderCheck),
    ),
    item(words`Logs: ${logs.length === 0 ? none : logs}`),
    item(words`Cost: ${source(formatCost(verdict.cost_usd))}`),
    item(words`Tokens: ${source(formatTokens(verdict.tokens))}`),
  ];
  const title = words`${facts.task}, pass ${verdict.pass}, ${source(verdict.at)}`;
  return `\n${writeMarkdown(heading(2, title), list(items))}`;
}

/** The result of the call itself, whatever the verdict on the work. */
export function statusOf({ end, verdict }: Pick<Verdict, "end" | "verdict">, error: string | null): ModelStatus {
  if (end.kind === "limited") return "rate_limited";
  if (end.kind === "timed_out") return "timeout";
  if (end.kind === "interrupted") return "interrupted";
  if (end.kind !== "exited" || error !== null || end.signal !== null) return "error";
  // Nothing came out of it, or its program says that it failed.
  return verdict === "unavailable" || end.exit_code !== 0 ? "error" : "success";
}

function listPaths(paths: ChangelogFacts["changedPaths"]): PhrasingContent[][] {
  const left = paths.length - maxListedPaths;
  const lines = paths.slice(0, maxListedPaths).map(({ path, change }) => words`${code(path)} ${change}`);
  return left > 0 ? [...lines, words`and ${left} more`] : lines;
}

function renderCheck(check: NonNullable<Verdict["checks"]>["results"][number]) {
  const since = renderAttribution(check);
  return words`${check.kind} ${check.name}: ${check.status.replace("_", " ")}${source(since === "" ? "" : ` (${since})`)}`;
}

function itemWith(line: PhrasingContent[], below: readonly PhrasingContent[][]): ListItem {
  return item(line, below.length === 0 ? undefined : list(below.map((each) => item(each))));
}

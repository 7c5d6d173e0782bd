import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import type { Ticket } from "../../rules/decision.ts";
import type { ReviewFinding } from "../../rules/facts.ts";
import { isWorkingPhase, type PhaseRule, workingPhases } from "../../rules/phases.ts";
import { buildFolder } from "./package-files.ts";
import { compileTemplate, renderTemplate } from "./render-template.ts";

export interface PromptCheck {
  readonly name: string;
  /** The words of the command as a person would type them. */
  readonly commandLine: string;
  readonly required: boolean;
}

/** Everything that a prompt says, as plain values. All text but the phase's rule is taken to be hostile. */
export interface PromptData {
  /** `dir` is absolute, as is `repo`. */
  readonly task: { readonly id: string; readonly title: string; readonly dir: string };
  readonly repo: string;
  readonly pass: number;
  readonly phase: PhaseRule;
  /**
   * Why the last pass was not accepted; null if it was. `answer`: the beginning of what the model said, if it changed no
   * file.
   */
  readonly failed: {
    readonly verdict: "rejected" | "no_progress";
    readonly reason: string;
    readonly answer: string | null;
  } | null;
  /** Null if this pass is not a retry; `attempt` counts from 1 up to `of`. */
  readonly retry: { readonly attempt: number; readonly of: number } | null;
  /** A pass that was cut off, and the repo paths that it changed as far as they are known; null if there is none. */
  readonly leftover: { readonly pass: number; readonly paths: readonly string[] } | null;
  /** The patch of all that the task changed, relative to the task folder; null if there is none. */
  readonly diff: string | null;
  /** A person's change of the brief that nothing answers yet; `diff` is null if it is not known. */
  readonly briefChange?: { readonly mark: string; readonly diff: string | null } | null;
  /** The brief's text below its front matter. */
  readonly brief: string;
  /** Further lines of the contract, one plain sentence each. */
  readonly contractLines: readonly string[];
  readonly validators: readonly PromptCheck[];
  readonly scenarios: readonly PromptCheck[];
  readonly protectedGlobs: readonly string[];
  readonly tickets: readonly Ticket[];
  /** The end of log.txt; the last 50 lines are shown. */
  readonly logTail: string;
  readonly lastError: string;
  readonly stateText: string;
  /** The word of the contract, without its tag; null switches the promise off. */
  readonly promise: string | null;
  readonly userFacing: boolean;
  /** The runner makes the moves that need no model, so only this pass's model has worked on the task. */
  readonly advances: boolean;
  readonly budget: {
    readonly passesUsed: number;
    readonly passes: number;
    readonly repairsUsed: number;
    readonly repairs: number;
  };
  readonly openSteps: readonly string[];
  /** The reviewers' findings on the current state, the most severe first, and the roles without a report. */
  readonly reviewFindings?: readonly (ReviewFinding & { readonly role: string })[];
  readonly reviewsMissing?: readonly { readonly role: string; readonly problem: string }[];
  /** `small` shortens the brief's text, tickets, log.txt and last_error.txt; never a rule or the contract. */
  readonly context: "whole" | "small";
  /** Whether the phase's list of things to look at once more is in it. */
  readonly selfReview: boolean;
}

/** How much of each text a prompt shows; the rest is in the files that it names. */
const limits = {
  whole: { logLines: 50, brief: Infinity, ticket: Infinity, lastError: Infinity },
  // Each about a screen: the cause of a failure nearly always is near its beginning.
  small: { logLines: 10, brief: 3_000, ticket: 600, lastError: 1_200 },
} as const;
const mostLeft = 10;
const mostDiff = 4_000;

/**
 * The prompt of one pass, as Markdown that ends with a newline. Deterministic. No line of it is the completion promise
 * alone, wherever the line came from. Throws for a phase that no model works in.
 */
export function renderPrompt(data: PromptData): string {
  const { name } = data.phase;
  if (!isWorkingPhase(name)) throw new Error(`there is no prompt for ${name}`);
  const template = loadPromptTemplates()[name];
  const tag = data.promise === null ? null : `<promise>${data.promise}</promise>`;
  const limit = limits[data.context];
  const tickets = data.tickets.map((ticket) => ({ ...ticket, ...cutText(ticket.text, limit.ticket) }));
  const text = renderTemplate("prompt.md", {
    ...data,
    heading: template.title,
    leftover: data.leftover && {
      ...data.leftover,
      paths: data.leftover.paths.slice(0, mostLeft),
      more: Math.max(0, data.leftover.paths.length - mostLeft),
    },
    outputs: template.outputs,
    own: compileTemplate(
      `prompts/${name}.md`,
      template.text,
    )({
      userFacing: data.userFacing,
      advances: data.advances,
    }).trim(),
    asks: data.phase.next.includes("needs_user_decision"),
    blocks: data.phase.next.includes("blocked"),
    repairs: data.phase.next.includes("repair"),
    review: data.phase.name === "review",
    judges: name === "verify" || name === "review",
    reviewFindings: data.reviewFindings ?? [],
    reviewsMissing: data.reviewsMissing ?? [],
    promiseTag: tag,
    selfReview: data.selfReview ? (template.self_review ?? []) : [],
    brief: cutText(data.brief, limit.brief),
    briefChange: data.briefChange
      ? { ...data.briefChange, diff: data.briefChange.diff && cutText(data.briefChange.diff, mostDiff).text }
      : null,
    tickets,
    ticketsCut: tickets.some((ticket) => ticket.cut),
    logTail: data.logTail.trimEnd().split("\n").slice(-limit.logLines).join("\n"),
    lastError: cutText(data.lastError.trimEnd(), limit.lastError),
  });
  const tidy = text.trimStart();
  return tag === null ? tidy : neverAlone(tidy, tag);
}

/** A model or an echo that repeats its prompt must not give the promise by that. */
function neverAlone(text: string, tag: string): string {
  const lines = text.split("\n");
  return lines.map((line) => (line.trim() === tag.trim() ? `| ${line}` : line)).join("\n");
}

/** The beginning of a text, at most so many UTF-16 code units of it: whole lines if the last one allows that. */
export function cutText(text: string, most: number): { readonly text: string; readonly cut: boolean } {
  if (text.length <= most) return { text, cut: false };
  // Half of a pair would be no character.
  const kept = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
  const lineEnd = kept.lastIndexOf("\n");
  return { text: `${lineEnd > most / 2 ? kept.slice(0, lineEnd) : kept}\n…`, cut: true };
}

const line = v.pipe(v.string(), v.nonEmpty());
const lines = v.pipe(v.array(line), v.minLength(1));

/** A file of templates/prompts/: its front matter, and the `text` below it, an Eta template. */
const promptTemplate = v.strictObject({
  phase: v.picklist(workingPhases),
  /** The goal of the pass, as a heading. */
  title: line,
  /** The exact file updates that the phase requires, one line of Markdown each. */
  outputs: lines,
  /** The points that a pass checks once more before it ends, one line of Markdown each. */
  self_review: v.optional(lines),
  text: v.string(),
});

/** All of them; the build refuses to write prompts.json without one of them. */
export const promptTemplates = v.strictObject(v.entriesFromList(workingPhases, promptTemplate));

/** Every prompt template of this package, by phase; the build wrote them, as scripts/bundle/prompts.mjs reads them. */
export function loadPromptTemplates(): v.InferOutput<typeof promptTemplates> {
  return v.parse(promptTemplates, JSON.parse(readFileSync(join(buildFolder(), "prompts.json"), "utf8")));
}

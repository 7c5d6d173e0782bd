import type { Decision } from "./decision.ts";
import type { Before, Facts, Proposal } from "./facts.ts";
import { stateFields } from "./state-view.ts";
import type { VerdictEvent } from "./verdict-event.ts";
import { plural } from "./wording.ts";

export interface WorkFacts {
  readonly before: Before;
  readonly proposal: Proposal;
  readonly facts: Pick<Facts, "artifacts_changed" | "evidence_rows_added" | "steps" | "questions_asked">;
  readonly decision: Pick<Decision, "progress">;
  readonly changed_paths: VerdictEvent["changed_paths"];
}

/**
 * A pass's material progress by recorded facts, such as `2 files changed` or `artifacts/tests.txt written`. Names
 * fields of STATE.md if there is nothing else. Empty: only the phase.
 */
export function renderMade({ before, proposal, facts, decision, changed_paths: paths }: WorkFacts): string[] {
  if (proposal.kind !== "read") return [];
  const { progress } = decision;
  const ticked = countTicked(facts.steps.before, facts.steps.after);
  const closed = countTicked(before.state.risks, proposal.state.risks);
  const rows = facts.evidence_rows_added.length;
  const made = [
    ...(progress.includes("code_change") ? [renderFiles(paths)] : []),
    ...renderArtifacts(facts.artifacts_changed),
    ...(rows === 0 ? [] : [`${plural(rows, "row")} added to EVIDENCE.md`]),
    ...(ticked === 0 ? [] : [`${plural(ticked, "item")} of TASKS.md ticked`]),
    ...(closed === 0 ? [] : [`${plural(closed, "risk")} closed`]),
    ...(progress.includes("blocker_clarification") ? ["Blockers written"] : []),
    ...(progress.includes("question") ? [`${facts.questions_asked.join(", ")} asked`] : []),
  ];
  return made.length > 0 ? made : renderFields(before.state.fields, proposal.state.fields);
}

/**
 * Describes what an accepted pass made, since the phases already show where it led; `done` keeps its headline. May be
 * empty.
 */
export function whyOf({ verdict, to, made, reason }: Pick<VerdictEvent, "verdict" | "to" | "made" | "reason">): string {
  return verdict !== "accepted" || to === "done" ? reason : made.join(", ");
}

export function verdictAndWhy(event: Parameters<typeof whyOf>[0]): string {
  const why = whyOf(event);
  return why === "" ? event.verdict : `${event.verdict}: ${why}`;
}

function renderFiles(paths: VerdictEvent["changed_paths"]): string {
  const own = paths.filter(({ person }) => person === undefined);
  const [first, ...more] = own;
  if (first === undefined) return paths.length === 0 ? "the code changed" : "a person changed the code";
  return more.length === 0 ? `${oneLine(first.path)} ${first.change}` : `${own.length} files changed`;
}

/** Says `written` because the facts do not show whether a file of that name existed before. */
function renderArtifacts(paths: readonly string[]): string[] {
  if (paths.length > mostNamed) return [`${paths.length} files written under artifacts/`];
  return paths.map((path) => `${oneLine(path)} written`);
}

function renderFields(before: Before["state"]["fields"], after: Before["state"]["fields"]): string[] {
  const changed = stateFields.filter(({ key, owner }) => owner === "content" && before[key] !== after[key]);
  if (changed.length > mostNamed) return [`${changed.length} fields of STATE.md changed`];
  return changed.length === 0 ? [] : [`${changed.map(({ label }) => label).join(" and ")} changed`];
}

function countTicked(before: Facts["steps"]["before"], after: Facts["steps"]["after"]): number {
  const open = new Set(before.filter(({ done }) => !done).map(({ text }) => text));
  return after.filter(({ done, text }) => done && open.has(text)).length;
}

/** A file's name may contain anything; the verdict is one line. */
function oneLine(path: string): string {
  const flat = path.replace(/\s+/g, " ");
  return flat.length > longestName ? `…${flat.slice(1 - longestName)}` : flat;
}

const mostNamed = 2;
const longestName = 80;

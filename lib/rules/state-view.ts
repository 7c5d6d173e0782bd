import type { Phase } from "./phases.ts";

/** In the order of a new file. What a pass writes into `owner: runner` fields is overwritten with the runner's values. */
export const stateFields = [
  { key: "phase", label: "Phase", owner: "proposal" },
  { key: "status", label: "Status", owner: "status" },
  { key: "next_step", label: "Next step", owner: "content" },
  { key: "blockers", label: "Blockers", owner: "content" },
  { key: "objective", label: "Objective", owner: "content" },
  { key: "done_gate", label: "Done gate", owner: "content" },
  { key: "not_doing", label: "Not doing", owner: "content" },
  { key: "reality_constraints", label: "Reality constraints", owner: "content" },
  { key: "validation_plan", label: "Validation plan", owner: "content" },
  { key: "current_result", label: "Current result", owner: "content" },
  { key: "evidence_location", label: "Evidence location", owner: "content" },
  { key: "evidence_link", label: "Evidence link", owner: "runner" },
  { key: "candidate_done", label: "Candidate done", owner: "content" },
  { key: "validator_status", label: "Validator status", owner: "runner" },
  { key: "repair_applied", label: "Repair applied", owner: "runner" },
  { key: "revalidation_status", label: "Revalidation status", owner: "runner" },
  { key: "last_updated", label: "Last updated", owner: "runner" },
] as const;

export type FieldKey = (typeof stateFields)[number]["key"];
export type FieldValues = Readonly<Record<FieldKey, string>>;

/** Spelled exactly so. */
export const fieldWords: Partial<Readonly<Record<FieldKey, readonly string[]>>> = {
  candidate_done: ["yes", "no"],
  validator_status: ["pending", "pass", "fail"],
  repair_applied: ["yes", "no"],
  revalidation_status: ["pending", "pass", "fail"],
};

export const featureLabels = ["real_working", "real_read_only", "blocked_hidden", "unknown_do_not_show"] as const;

export interface FeatureRow {
  readonly feature: string;
  readonly label: string;
  readonly proof: string;
}

export interface ListedItem {
  readonly text: string;
  readonly done: boolean;
}

/** Keys are in snake_case because these values are recorded as JSON. */
export interface StateView {
  readonly phase: Phase;
  /** Trimmed; nested lists as Markdown; closed words as plain text. */
  readonly fields: FieldValues;
  readonly risks: readonly ListedItem[];
  readonly features: readonly FeatureRow[];
  readonly findings: readonly string[];
  readonly closed_findings: readonly string[];
  /** Items and paragraphs under Notes, which explain what is no defect. */
  readonly notes: readonly string[];
}

/** Not empty and no placeholder. `none` fills only Not doing and Reality constraints. */
export function isFilled(key: FieldKey, value: string): boolean {
  const word = plain(value).toLowerCase();
  if (word === "" || ["tbd", "todo", "?", "-"].includes(word)) return false;
  if (word === "none") return key === "not_doing" || key === "reality_constraints";
  return true;
}

export function isUnblocked(blockers: string): boolean {
  return !isFilled("blockers", blockers);
}

/** For `done`, a placeholder is no answer. */
export function isNoneOrEmpty(value: string): boolean {
  return ["", "none"].includes(plain(value).toLowerCase());
}

/** Without comments, invisible characters and enclosing marks. */
function plain(value: string): string {
  return value
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "")
    .replace(/^[\s*_`~+-]+(?=\S)|[\s*_`~.]+$/g, "");
}

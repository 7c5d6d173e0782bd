import type { Phase } from "./phases.ts";

/**
 * The seventeen fields of STATE.md in the order that a new file has them. `owner: runner` fields are overwritten at
 * every verdict; `content` fields are what a pass or a person has to say.
 */
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

/** The words that a field of a closed set may hold, spelled exactly so. */
export const fieldWords: Partial<Readonly<Record<FieldKey, readonly string[]>>> = {
  candidate_done: ["yes", "no"],
  validator_status: ["pending", "pass", "fail"],
  repair_applied: ["yes", "no"],
  revalidation_status: ["pending", "pass", "fail"],
};

export const featureLabels = ["real_working", "real_read_only", "blocked_hidden", "unknown_do_not_show"] as const;

/** One row of the table under Visible features; cells as plain text. */
export interface FeatureRow {
  readonly feature: string;
  readonly label: string;
  readonly proof: string;
}

/** One item of a task list. */
export interface ListedItem {
  readonly text: string;
  readonly done: boolean;
}

/** What STATE.md says, as plain values. Keys are in snake_case because these values are recorded as JSON. */
export interface StateView {
  readonly phase: Phase;
  /** Trimmed; nested lists included as Markdown; words of a closed set as plain text. */
  readonly fields: FieldValues;
  readonly risks: readonly ListedItem[];
  readonly features: readonly FeatureRow[];
  /** One string for each open item of the lists under Findings. */
  readonly findings: readonly string[];
  /** The ticked items under Findings. */
  readonly closed_findings: readonly string[];
  /** The items and paragraphs under Notes, where it says what is no defect, and why. */
  readonly notes: readonly string[];
}

/** Filled: not empty and not a placeholder. `none` fills Not doing and Reality constraints, and no other field. */
export function isFilled(key: FieldKey, value: string): boolean {
  const word = plain(value).toLowerCase();
  if (word === "" || ["tbd", "todo", "?", "-"].includes(word)) return false;
  if (word === "none") return key === "not_doing" || key === "reality_constraints";
  return true;
}

/** Blockers that hold nothing back: empty, a placeholder or `none`. */
export function isUnblocked(blockers: string): boolean {
  return !isFilled("blockers", blockers);
}

/** What `done` asks of Blockers: a placeholder is not yet an answer. */
export function isNoneOrEmpty(value: string): boolean {
  return ["", "none"].includes(plain(value).toLowerCase());
}

/** What is left of a value for a reader: no comments, no invisible characters, no marks around it. */
function plain(value: string): string {
  return value
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "")
    .replace(/^[\s*_`~+-]+(?=\S)|[\s*_`~.]+$/g, "");
}

import { phaseNames } from "../rules/phases.ts";
import { type FieldKey, fieldWords, stateFields } from "../rules/state-view.ts";
import { errorFinding, type Finding } from "../text/finding.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import { namedWords, readClosedWord } from "./closed-word.ts";
import type { FoundFields } from "./find-fields.ts";
import type { ListField } from "./list-fields.ts";

type FieldRule = (typeof stateFields)[number];

/**
 * The legal words of a field in a proposal; null for free text and for the runner's own fields, which are never judged.
 */
export function wordsOf(key: FieldKey): readonly string[] | null {
  if (key === "phase") return phaseNames;
  const owner = stateFields.find((field) => field.key === key)?.owner;
  return owner === "runner" ? null : (fieldWords[key] ?? null);
}

/** The word that a field of a closed set holds; null if a reader would have to guess. */
export function wordIn(field: ListField, key: FieldKey, words: readonly string[]): string | null {
  return readClosedWord(field.unstruck, words, key === "phase" ? "phase" : "");
}

/** Finds missing, doubled and illegal fields of STATE.md. */
export function checkFields(items: readonly ListField[], found: FoundFields, file: string): Finding[] {
  const findings: Finding[] = [];
  const taken = [...found.values()].flat();
  const unknown = items.filter((item) => !taken.includes(item));
  for (const rule of stateFields) {
    const [field, ...others] = found.get(rule.key) ?? [];
    if (field === undefined) findings.push(missingField(rule, items, unknown, file));
    else
      findings.push(...others.map((other) => doubledField(rule, field, other, file)), ...checkField(rule, field, file));
  }
  const [risks, doubledRisks] = items.filter((item) => item.label === "risks");
  if (risks !== undefined && doubledRisks !== undefined)
    findings.push(doubledField({ label: "Risks" }, risks, doubledRisks, file));
  return findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function missingField(
  rule: FieldRule,
  items: readonly ListField[],
  unknown: readonly ListField[],
  file: string,
): Finding {
  const near = unknown.find(
    (item) =>
      nearestWord(
        item.shownLabel,
        stateFields.map(({ label }) => label),
      ) === rule.label,
  );
  const fix = `add this line to the list of fields: \`${formOf(rule)}\``;
  if (near !== undefined) {
    const message = `the field \`${rule.label}\` is missing; line ${near.line} has \`${shorten(near.shownLabel)}\``;
    const line = `- ${rule.label}: ${near.value.split("\n")[0] ?? ""}`.trimEnd();
    return errorFinding("TP_STATE_MISSING_FIELD", message, {
      ...place(near, file),
      fix: `write that line as: \`${shorten(line)}\``,
    });
  }
  const last = items[items.length - 1];
  const where = last === undefined ? { file } : place(last, file);
  return errorFinding("TP_STATE_MISSING_FIELD", `the field \`${rule.label}\` is missing`, { ...where, fix });
}

/** The line that `init` writes for it. */
function formOf({ key, label }: FieldRule): string {
  const values: Partial<Record<FieldKey, string>> = {
    evidence_location: "artifacts/",
    blockers: "none",
    candidate_done: "no",
    validator_status: "pending",
    repair_applied: "no",
    revalidation_status: "pending",
  };
  return `- ${label}: ${values[key] ?? ""}`.trimEnd();
}

function doubledField(rule: { readonly label: string }, field: ListField, other: ListField, file: string): Finding {
  const message = `the field \`${rule.label}\` appears twice, first at line ${field.line}`;
  const line = `- ${rule.label}: ${field.value.split("\n")[0] ?? ""}`.trimEnd();
  const fix = `keep one of the two, such as: \`${shorten(line)}\``;
  return errorFinding("TP_STATE_DOUBLED_FIELD", message, { ...place(other, file), fix });
}

function checkField(rule: FieldRule, field: ListField, file: string): Finding[] {
  if (!field.literal) {
    const message = `the label \`${rule.label}\` is written with references, links or HTML around its colon`;
    return [
      errorFinding("TP_STATE_BAD_LABEL", message, {
        ...place(field, file),
        fix: `write it as plain text: \`- ${rule.label}: ...\``,
      }),
    ];
  }
  const words = wordsOf(rule.key);
  return words === null || wordIn(field, rule.key, words) !== null ? [] : [wordFinding(rule, field, words, file)];
}

function wordFinding(rule: FieldRule, field: ListField, words: readonly string[], file: string): Finding {
  const isPhase = rule.key === "phase";
  const named = namedWords(field.unstruck, words);
  const what =
    named.length > 0
      ? `is not clearly one of its ${isPhase ? "phases" : "values"}`
      : isPhase
        ? "is not a phase"
        : "is not one of its values";
  const found =
    field.plain === "" ? `\`${rule.label}\` is empty` : `\`${rule.label}\`: "${shorten(field.plain)}" ${what}`;
  const near = nearestWord(field.plain, words) ?? named.at(-1) ?? words[0] ?? "";
  return errorFinding(
    isPhase ? "TP_STATE_UNKNOWN_PHASE" : "TP_STATE_BAD_VALUE",
    `${found}; expected one of ${words.join(", ")}`,
    { ...place(field, file), fix: `write the word alone, such as: \`- ${rule.label}: ${near}\`` },
  );
}

function place(field: ListField, file: string): { file: string; line: number; column: number } {
  return { file, line: field.line, column: field.column };
}

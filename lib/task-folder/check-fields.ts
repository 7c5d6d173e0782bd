import { phaseNames } from "../machine/phases.ts";
import { fieldWords, stateFields } from "../machine/state-view.ts";
import { errorFinding, type Finding } from "../report/finding.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import { compareForm, type ListField } from "./list-fields.ts";

type FieldRule = (typeof stateFields)[number];

/** What is missing, doubled, or outside its set among the fields of STATE.md. */
export function checkFields(items: readonly ListField[], file: string): Finding[] {
  const findings: Finding[] = [];
  const unknown = items.filter((item) => !stateFields.some((rule) => compareForm(rule.label) === item.label));
  for (const rule of stateFields) {
    const [field, ...others] = items.filter((item) => item.label === compareForm(rule.label));
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
  const fix = `add the item \`- ${rule.label}:\` to the list of fields`;
  if (near !== undefined) {
    const message = `the field \`${rule.label}\` is missing; line ${near.line} has \`${shorten(near.shownLabel)}\``;
    return errorFinding("TP_STATE_MISSING_FIELD", message, {
      ...place(near, file),
      fix: `write \`${rule.label}\` there`,
    });
  }
  const last = items[items.length - 1];
  const where = last === undefined ? { file } : place(last, file);
  return errorFinding("TP_STATE_MISSING_FIELD", `the field \`${rule.label}\` is missing`, { ...where, fix });
}

function doubledField(rule: { readonly label: string }, field: ListField, other: ListField, file: string): Finding {
  const message = `the field \`${rule.label}\` stands twice, first at line ${field.line}`;
  return errorFinding("TP_STATE_DOUBLED_FIELD", message, { ...place(other, file), fix: "keep one of the two" });
}

function checkField(rule: FieldRule, field: ListField, file: string): Finding[] {
  if (!field.literal) {
    const message = `the label \`${rule.label}\` is written with references, links or HTML around its colon`;
    return [
      errorFinding("TP_STATE_BAD_LABEL", message, {
        ...place(field, file),
        fix: `write it plainly: \`- ${rule.label}: ...\``,
      }),
    ];
  }
  const found = shorten(field.plain);
  if (rule.key === "phase") return wordFinding("TP_STATE_UNKNOWN_PHASE", rule, field, phaseNames, file);
  const words = fieldWords[rule.key];
  if (words !== undefined) return wordFinding("TP_STATE_BAD_VALUE", rule, field, words, file);
  if (rule.key !== "last_updated" || isUtcTime(field.plain)) return [];
  const message = `\`${rule.label}\` must be a time in UTC such as 2026-01-31T10:00:00Z; found "${found}"`;
  return [
    errorFinding("TP_STATE_BAD_VALUE", message, {
      ...place(field, file),
      fix: "write the time so, or leave the value as it was",
    }),
  ];
}

function wordFinding(
  code: string,
  rule: FieldRule,
  field: ListField,
  words: readonly string[],
  file: string,
): Finding[] {
  if (words.includes(field.plain)) return [];
  const what = code === "TP_STATE_UNKNOWN_PHASE" ? "is no phase" : "is not one of its values";
  const found =
    field.plain === "" ? `\`${rule.label}\` is empty` : `\`${rule.label}\`: "${shorten(field.plain)}" ${what}`;
  const near = nearestWord(field.plain, words);
  const message = `${found}; expected one of ${words.join(", ")}`;
  const fix = near === null ? `write one of these words after \`${rule.label}:\`` : `write \`${rule.label}: ${near}\``;
  return [errorFinding(code, message, { ...place(field, file), fix })];
}

/** ISO 8601 in UTC: a day, or a time that ends in `Z` or a zero offset; a space may stand for the `T`. */
function isUtcTime(value: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|\+00:00))?$/.exec(value);
  const day = match?.[1];
  if (day === undefined || Number.isNaN(Date.parse(value.replace(" ", "T")))) return false;
  return new Date(day).toISOString().startsWith(day);
}

function place(field: ListField, file: string): { file: string; line: number; column: number } {
  return { file, line: field.line, column: field.column };
}

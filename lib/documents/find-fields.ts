import { type FieldKey, stateFields } from "../rules/state-view.ts";
import { editDistance } from "../text/nearest.ts";
import { compareForm, type ListField } from "./list-fields.ts";

export type FoundFields = ReadonlyMap<FieldKey, readonly ListField[]>;

/**
 * The items of each field. A label counts as written; if no item has it, the one item whose label is off by a
 * plural, a letter, a hyphen or a remark in brackets counts, if it is near to no other missing field.
 */
export function findFields(items: readonly ListField[]): FoundFields {
  const exact = new Map(
    stateFields.map(({ key, label }) => [key, items.filter((item) => item.label === compareForm(label))] as const),
  );
  const missing = stateFields.filter(({ key }) => exact.get(key)?.length === 0);
  const free = items.filter(
    (item) => item.label !== "risks" && ![...exact.values()].some((found) => found.includes(item)),
  );
  const near = missing.map(
    ({ key, label }) => [key, free.filter((item) => isNearLabel(item.shownLabel, label))] as const,
  );
  for (const [key, found] of near) {
    const [item] = found;
    const others = near.filter(([other, taken]) => other !== key && item !== undefined && taken.includes(item));
    if (found.length === 1 && others.length === 0) exact.set(key, found);
  }
  return exact;
}

/** Letters alone, at most one of them missing, added, replaced or swapped with its neighbour. */
export function isNearLabel(shown: string, label: string): boolean {
  const form = (text: string): string =>
    text
      .replace(/\([^()]*\)|\[[^[\]]*\]/g, "")
      .replace(/[^\p{L}\p{N}]/gu, "")
      .toLowerCase();
  const [written, wanted] = [form(shown), form(label)];
  return written === wanted || written === `${wanted}es` || editDistance(written.slice(0, 100), wanted) <= 1;
}

/** True if the item's label is the field's own, as it is compared. */
export function hasOwnLabel(item: ListField, key: FieldKey): boolean {
  const rule = stateFields.find((field) => field.key === key);
  return rule !== undefined && item.label === compareForm(rule.label);
}

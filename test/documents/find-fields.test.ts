import assert from "node:assert/strict";
import { test } from "node:test";
import type { List } from "mdast";
import { findFields, hasOwnLabel, isNearLabel } from "../../lib/documents/find-fields.ts";
import { readListFields } from "../../lib/documents/list-fields.ts";
import { parseMarkdown } from "../../lib/documents/markdown.ts";
import type { FieldKey } from "../../lib/rules/state-view.ts";

const items = (text: string) => readListFields(parseMarkdown(text).children[0] as List, text);

/** The values that are found for a field of this list. */
function found(text: string, key: FieldKey): string[] {
  return (findFields(items(text)).get(key) ?? []).map(({ value }) => value);
}

test("a label as it is written counts, however often it is there", () => {
  assert.deepEqual(found("- **PHASE**: a\n- phase : b\n- Phases: c\n", "phase"), ["a", "b"]);
});

test("if no item has the label, the one that is near to it counts", () => {
  assert.deepEqual(found("- Objectives: a\n", "objective"), ["a"]);
  assert.deepEqual(found("- Objectives: a\n- Objectiv: b\n", "objective"), []);
  assert.deepEqual(found("- Goal: a\n", "objective"), []);
});

test("an item that is further off, or has a field's own label, counts for no other field", () => {
  assert.deepEqual(found("- Validation status: a\n", "validator_status"), []);
  assert.deepEqual(found("- Revalidation status: a\n", "validator_status"), []);
});

test("a label is near if it is a letter, a plural, a hyphen or a remark in brackets off", () => {
  const near = ["Done gate", "done_gates", "Done-gate", "Done gate (ours)", "[x] Done gate", "Doen gate", "Done ate"];
  assert.deepEqual(
    near.filter((label) => !isNearLabel(label, "Done gate")),
    [],
  );
  assert.deepEqual(
    ["Done", "Doe ate", "The done gate", ""].filter((label) => isNearLabel(label, "Done gate")),
    [],
  );
  assert.deepEqual([isNearLabel("Phasess", "Phase"), isNearLabel("Nextes", "Next")], [false, true]);
});

test("a near label is not the field's own", () => {
  const [own, near] = items("- **Next  step**: a\n- Next steps: b\n");
  assert.ok(own !== undefined && near !== undefined);
  assert.deepEqual([hasOwnLabel(own, "next_step"), hasOwnLabel(near, "next_step")], [true, false]);
});

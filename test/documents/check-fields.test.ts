import assert from "node:assert/strict";
import { test } from "node:test";
import type { List } from "mdast";
import { checkFields, wordsOf } from "../../lib/documents/check-fields.ts";
import { findFields } from "../../lib/documents/find-fields.ts";
import { readListFields } from "../../lib/documents/list-fields.ts";
import { parseMarkdown } from "../../lib/documents/markdown.ts";
import { fieldList, showFinding } from "./arrange.ts";

const list = fieldList();

function check(text: string): string[] {
  const items = readListFields(parseMarkdown(text).children[0] as List, text);
  return checkFields(items, findFields(items), "STATE.md").map((one) => `${showFinding(one)} → ${one.fix}`);
}

test("a whole list of fields has no finding, whatever the runner's own fields say", () => {
  assert.deepEqual(check(fieldList({ validator_status: "green", last_updated: "", repair_applied: "maybe" })), []);
});

test("only the phase and Candidate done have words that are judged", () => {
  assert.deepEqual(wordsOf("candidate_done"), ["yes", "no"]);
  assert.ok(wordsOf("phase")?.includes("needs_user_decision"));
  assert.deepEqual([wordsOf("validator_status"), wordsOf("objective")], [null, null]);
});

test("a missing field is answered with the line that init writes, or with the line that was meant", () => {
  assert.deepEqual(check(list.replace("- Candidate done: no\n", "")), [
    "TP_STATE_MISSING_FIELD 16:3 the field `Candidate done` is missing → add this line to the list of fields: `- Candidate done: no`",
  ]);
  assert.deepEqual(check(list.replace("Candidate done: no", "Candydate dune: no")), [
    "TP_STATE_MISSING_FIELD 13:3 the field `Candidate done` is missing; line 13 has `Candydate dune` → write that line as: `- Candidate done: no`",
  ]);
});

test("of a field that is there twice, the second place is named", () => {
  assert.deepEqual(check(`${list}- Blockers: a\n- Risks: b\n- risks:\n`), [
    "TP_STATE_DOUBLED_FIELD 18:3 the field `Blockers` appears twice, first at line 4 → keep one of the two, such as: `- Blockers: none`",
    "TP_STATE_DOUBLED_FIELD 20:3 the field `Risks` appears twice, first at line 19 → keep one of the two, such as: `- Risks: b`",
  ]);
});

test("a word outside its set is answered with the nearest one, else the last that it names, else the first", () => {
  const phase = (value: string) =>
    check(fieldList({ phase: value }))[0]?.replace(/; expected one of [a-z_]+(?:, [a-z_]+)*/, "");
  const line = (what: string, fix: string) =>
    `TP_STATE_UNKNOWN_PHASE 1:3 ${what} → write the word alone, such as: \`- Phase: ${fix}\``;
  assert.equal(phase("verfy"), line('`Phase`: "verfy" is not a phase', "verify"));
  assert.equal(
    phase("from implement to review"),
    line('`Phase`: "from implement to review" is not clearly one of its phases', "review"),
  );
  assert.equal(phase("42"), line('`Phase`: "42" is not a phase', "intake"));
  assert.equal(phase(""), line("`Phase` is empty", "intake"));
  assert.deepEqual(check(fieldList({ candidate_done: "yes or no" })), [
    'TP_STATE_BAD_VALUE 13:3 `Candidate done`: "yes or no" is not clearly one of its values; expected one of yes, no → write the word alone, such as: `- Candidate done: no`',
  ]);
});

test("a label that is not written out is refused before its value is judged, and findings are in the order of the file", () => {
  const text = fieldList({ candidate_done: "x" }).replace("Phase: implement", "Ph&#97;se: x");
  assert.deepEqual(
    check(text).map((line) => line.split(" ").slice(0, 2).join(" ")),
    ["TP_STATE_BAD_LABEL 1:3", "TP_STATE_BAD_VALUE 13:3"],
  );
});

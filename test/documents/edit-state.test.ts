import assert from "node:assert/strict";
import { test } from "node:test";
import { editState, type FieldEdits, stateText } from "../../lib/documents/state.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { fieldList, mustRead } from "./arrange.ts";

const list = fieldList();

function edit(text: string, edits: FieldEdits): string {
  return stateText(editState(mustRead(text), edits));
}

/** The lines that differ, as `old → new`; the texts must have as many lines. */
function changes(before: string, after: string): string[] {
  const [was, is] = [before.split("\n"), after.split("\n")];
  assert.equal(is.length, was.length);
  return was.flatMap((line, index) => (line === is[index] ? [] : [`${line} → ${is[index]}`]));
}

for (const [line, key, value, expected] of [
  ["- Phase: implement", "phase", "verify", "- Phase: verify"],
  ["- **Phase:** `implement`  ", "phase", "verify", "- **Phase:** `verify`  "],
  ["- **Phase: implement**", "phase", "verify", "- **Phase: verify**"],
  ["- _phase_ :  **implement** <!-- implement -->", "phase", "verify", "- _phase_ :  **verify** <!-- implement -->"],
  ["- Blockers: none", "blockers", "a *b*", "- Blockers: a *b*"],
  ["- Blockers: none", "blockers", "", "- Blockers:"],
  ["- Blockers:", "blockers", "x", "- Blockers: x"],
  ["- Blockers: ", "blockers", "x", "- Blockers: x"],
  ["- Blockers:\t ", "blockers", "x", "- Blockers:\tx "],
  ["- **Blockers:**", "blockers", "x", "- **Blockers:** x"],
  ["- Blockers: <!-- what? -->", "blockers", "x", "- Blockers: x <!-- what? -->"],
  ["- Blockers:<!-- what? -->", "blockers", "x", "- Blockers: x <!-- what? -->"],
  ["- **Blockers: a** b", "blockers", "x", "- Blockers: x"],
  ["- Blockers: `a", "blockers", " x ", "- Blockers: x"],
] as const) {
  test(`setting ${key} to "${value}" makes "${line}" to "${expected}"`, () => {
    const standing = key === "phase" ? "- Phase: implement" : "- Blockers: none";
    const before = list.replace(standing, line);
    assert.deepEqual(edit(before, { [key]: value }), list.replace(standing, expected));
  });
}

test("a value of several lines is replaced whole", () => {
  const before = list.replace("Blockers: none", "Blockers:\n\n  - a\n  - b\n\n  c");
  assert.equal(edit(before, { blockers: "x" }), list.replace("Blockers: none", "Blockers: x"));
});

test("several values change at once, and nothing else, whatever the line endings", () => {
  const before = `\uFEFF# é\r\n\r\n${list.replaceAll("\n", "\r\n")}\ntail  `;
  assert.deepEqual(changes(before, edit(before, { phase: "repair", repair_applied: "yes", evidence_link: "[a](b)" })), [
    "- Phase: implement\r → - Phase: repair\r",
    "- Evidence link:\r → - Evidence link: [a](b)\r",
    "- Repair applied: no\r → - Repair applied: yes\r",
  ]);
});

test("a list of fields that stands under Findings or Notes is none of what they hold, and can be written", () => {
  for (const title of ["Findings", "Notes"]) {
    const before = `# T-1: x\n\n## ${title}\n\nWhy.\n\n${list}`;
    const { findings, notes } = mustRead(before).view;
    assert.deepEqual([findings, notes], [[], title === "Notes" ? ["Why."] : []]);
    assert.deepEqual(changes(before, edit(before, { phase: "repair" })), ["- Phase: implement → - Phase: repair"]);
  }
});

test("a value of two lines, and one that would be read back otherwise, are refused", () => {
  const refused = (edits: FieldEdits) => {
    assert.throws(
      () => edit(list, edits),
      (error) => error instanceof TaskPhaseError && error.findings[0]?.code === "TP_STATE_VALUE",
    );
  };
  refused({ blockers: "a\nb" });
  refused({ blockers: "<!-- gone -->" });
  refused({ phase: "finished" });
});

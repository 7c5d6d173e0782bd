import assert from "node:assert/strict";
import { test } from "node:test";
import { TaskPhaseError } from "../../lib/report/errors.ts";
import { editState, type FieldEdits } from "../../lib/task-folder/state.ts";
import { fieldList, mustRead } from "./arrange.ts";

const list = fieldList();

function edit(text: string, edits: FieldEdits, diagram?: string): string {
  return editState(mustRead(text), edits, diagram === undefined ? {} : { diagram }).bytes.toString();
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

const diagram = "stateDiagram-v2\n  [*] --> intake";
const fence = `\`\`\`mermaid\n${diagram}\n\`\`\``;

test("the diagram replaces what the fence under Phases holds", () => {
  for (const [open, close, indent = ""] of [
    ["```mermaid", "```"],
    ["~~~~ mermaid title", "~~~~~"],
    ["  ```mermaid", "  ```", "  "],
  ] as const) {
    const text = (inner: string) => `${list}\n## phases\n\ntext\n\n${open}\n${inner}${close}\n\n## Notes\n`;
    const drawn = diagram.replace(/^/gm, indent).concat("\n");
    assert.equal(edit(text("old\n\nlines\n"), {}, diagram), text(drawn));
    assert.equal(edit(text(""), {}, diagram), text(drawn));
    assert.equal(edit(text(drawn), {}, diagram), text(drawn));
  }
});

test("a fence that nothing closes is written anew", () => {
  assert.equal(
    edit(`${list}\n## Phases\n\n\`\`\`\`mermaid\nold\n\`\`\``, {}, diagram),
    `${list}\n## Phases\n\n${fence}`,
  );
});

test("where the fence or the section does not exist, it is made", () => {
  assert.equal(edit(`${list}\n## Phases\n\n## Notes\n`, {}, diagram), `${list}\n## Phases\n\n${fence}\n\n## Notes\n`);
  const windows = list.replaceAll("\n", "\r\n");
  assert.equal(
    edit(`${windows}\r\n## Notes`, {}, diagram),
    `${windows.trimEnd()}\r\n\r\n## Phases\r\n\r\n${fence.replaceAll("\n", "\r\n")}\r\n\r\n## Notes`,
  );
});

test("a diagram that would not stand there alone is refused", () => {
  assert.throws(() => edit(list, {}, "a\n```\n\n- Phase: done\n"), TaskPhaseError);
});

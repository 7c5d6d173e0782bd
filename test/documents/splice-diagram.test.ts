import assert from "node:assert/strict";
import { test } from "node:test";
import { diagramSplice } from "../../lib/documents/splice-diagram.ts";
import { editState, type FieldEdits, stateText } from "../../lib/documents/state.ts";
import { phaseDiagram } from "../../lib/documents/templates/phase-diagram.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { fieldList, mustRead } from "./arrange.ts";

const list = fieldList();

function edit(text: string, edits: FieldEdits, diagram: string): string {
  return stateText(editState(mustRead(text), edits, { diagram }));
}

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
    const old = phaseDiagram("repair").replace(/^/gm, indent).concat("\n");
    assert.equal(edit(text(old), {}, diagram), text(drawn));
    assert.equal(edit(text(drawn), {}, diagram), text(drawn));
    const note = `${indent}  %% my note\n`;
    assert.equal(edit(text(old.replace("\n", `\n${note}`)), {}, diagram), text(drawn + note));
  }
});

test("a diagram that a person drew under Phases stays, and the runner's is drawn above or below it", () => {
  for (const theirs of ["flowchart TD\n  a --> b", "", "stateDiagram-v2\n  [*] --> idle"]) {
    const own = `\`\`\`mermaid\n${theirs}\n\`\`\`\n`;
    const head = `${list}\n## Phases\n\n`;
    assert.equal(edit(`${head}${own}`, {}, diagram), `${head}${fence}\n\n${own}`);
    const source = own.replace("mermaid", "text").replace(theirs, diagram);
    assert.equal(edit(`${head}${source}`, {}, diagram), `${head}${fence}\n\n${source}`);
    const drawn = (phases: string) => `${head}${own}\n\`\`\`mermaid\n${phases}\n\`\`\`\n`;
    assert.equal(edit(drawn(phaseDiagram("verify")), {}, diagram), drawn(diagram));
  }
});

test("a fence that nothing closes is closed behind the diagram, and every word after it stays", () => {
  for (const [open, close] of [
    ["```mermaid", "```"],
    ["  ~~~~mermaid", "  ~~~~"],
  ] as const) {
    const before = `${list}\n## Phases\n\n${open}\n`;
    for (const rest of ["important words", "important words\n", "\n## Notes\n\n```sh\n[*] --> intake\n", ""]) {
      const after = edit(`${before}${phaseDiagram("verify")}\n${rest}`, { phase: "repair" }, diagram);
      const indent = open.startsWith(" ") ? "  " : "";
      const drawn = `${diagram.replace(/^/gm, indent)}\n${close}\n`;
      assert.equal(after, `${before}${drawn}${rest}`.replace("- Phase: implement", "- Phase: repair"));
    }
    assert.ok(edit(`${before}${phaseDiagram("verify")}`, {}, diagram).endsWith(`intake\n${close}`));
  }
});

test("fields behind an open fence are read once it is closed, unless the file became unreadable", () => {
  const open = `${list}\n## Phases\n\n\`\`\`mermaid\n${phaseDiagram("verify")}\n`;
  const shown = editState(mustRead(`${open}\n## Findings\n\n- a defect\n`), { phase: "repair" }, { diagram });
  assert.deepEqual(shown.view.findings, ["a defect"]);
  const second = `\n## Copy\n\n- Phase: done\n`;
  assert.equal(
    edit(`${open}${second}`, { phase: "repair" }, diagram),
    `${list}\n## Phases\n\n\`\`\`mermaid\n${diagram}\n${second}`.replace("- Phase: implement", "- Phase: repair"),
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

test("a diagram that is drawn already needs no change, and only the closing of an open fence is a change that closes", () => {
  const open = `${list}\n## Phases\n\n\`\`\`mermaid\n${diagram}\n`;
  const splice = (text: string, closing: boolean) => diagramSplice(mustRead(text), diagram, closing);
  assert.equal(splice(`${open}\`\`\`\n`, true), null);
  assert.equal(splice(open, false), null);
  assert.deepEqual([splice(open, true)?.closes, splice(list, true)?.closes], [true, false]);
});

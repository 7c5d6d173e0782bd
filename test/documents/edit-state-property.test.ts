import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { checkText } from "../../lib/documents/check-text.ts";
import { editState, type FieldEdits, readState, type StateDocument, stateText } from "../../lib/documents/state.ts";
import { phaseNames } from "../../lib/rules/phases.ts";
import { type FieldKey, fieldWords, stateFields } from "../../lib/rules/state-view.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { fieldList, mustRead, sampleValues } from "./arrange.ts";

const wordFields: FieldKey[] = ["phase", ...(Object.keys(fieldWords) as FieldKey[])];

/** One-line values that a list item can always hold. */
const safeValue = fc.constantFrom(
  "",
  "done",
  "none",
  "Write `x | y` to [the log](artifacts/log.txt)",
  "**bold** and *not*",
  "a: b: c",
  "50 % of 1_000 é 😀",
  "- not a list",
  "[ ] not a box",
  "x <b>y</b>",
  "ends with \\",
);
/** Those that also stand well between marks: `**Label: value**`. */
const standingValue = safeValue.filter((value) => !value.endsWith("\\"));
const wildValue = fc.string({ unit: fc.constantFrom(..."ab :-*_`~[]()<>!#|\\&;\t\"'.1é".split("")), maxLength: 12 });

function edits(value: fc.Arbitrary<string>): fc.Arbitrary<FieldEdits> {
  const entries = stateFields.map(({ key }) => {
    const words = key === "phase" ? phaseNames : fieldWords[key];
    const time = fc.constantFrom("2026-02-01T00:00:00Z", "2026-02-01T00:00:00.123Z");
    return [key, words !== undefined ? fc.constantFrom(...words) : key === "last_updated" ? time : value] as const;
  });
  return fc.record(Object.fromEntries(entries), { requiredKeys: [] }) as fc.Arbitrary<FieldEdits>;
}

/** What stands outside the given items: no edit of them may touch it. */
function outside(document: StateDocument, keys: readonly FieldKey[]): string[] {
  const spans = keys.map((key) => document.fields[key].content).sort((a, b) => a.start - b.start);
  const starts = [0, ...spans.map((span) => span.end)];
  return starts.map((start, index) => document.text.slice(start, spans[index]?.start));
}

/** Reads, edits, reads again: the values aimed at, everything else as it was, byte by byte. */
function assertEdit(before: StateDocument, wanted: FieldEdits, again = true): void {
  const document = editState(before, wanted);
  const edited = stateText(document);
  const after = again ? mustRead(edited) : document;
  const aim = { ...before.view.fields };
  for (const [key, value] of Object.entries(wanted)) aim[key as FieldKey] = value.trim();
  assert.deepEqual(after.view, { ...before.view, phase: aim.phase, fields: aim });
  assert.equal(edited, `${before.bom ? "\uFEFF" : ""}${after.text}`);
  const changed = (Object.keys(wanted) as FieldKey[]).filter((key) => before.view.fields[key] !== aim[key]);
  assert.deepEqual(outside(after, changed), outside(before, changed));
  for (const key of changed) {
    const [was, is] = [before, after].map((one) =>
      one.text.slice(one.fields[key].content.start, one.fields[key].labelEnd),
    );
    const label = stateFields.find((field) => field.key === key)?.label;
    assert.ok(is?.replace(/[*_`]+$/, "") === was?.replace(/[*_`]+$/, "") || is === `${label}:`, `${was} became ${is}`);
  }
}

const decorations = [
  (label: string, value: string) => `${label}: ${value}`,
  (label: string, value: string) => `**${label}:** ${value}`,
  (label: string, value: string) => `**${label}**: ${value}`,
  (label: string, value: string) => (value === "" ? `${label}:` : `**${label}: ${value}**`),
  (label: string, value: string) => `_${label.toUpperCase()}_ :   ${value}`,
  (label: string, value: string) => `\`${label}\`:\t${value}`,
  (label: string, value: string) => `${label.toLowerCase()}: **${value}**`.replace("****", ""),
  (label: string, value: string) => `${label}: ${value}   `,
  (label: string, value: string) => `${label}: ${value} <!-- a: hint -->`,
  (label: string, value: string) => `<b></b><!-- Phase: done --> ${label}: ${value}`,
];

const freeTails = [
  "",
  "",
  "\n    and more",
  "\n    - a nested\n    - [x] list",
  "\n\n    a second paragraph",
  "\n    <!-- c -->",
];

const before = [
  "",
  "---\ntitle: x\n---\n\n",
  "# T-1: title\n\n",
  "> - Phase: done\n\n",
  "```\n- Phase: done\n```\n\n",
  "<!--\n- Phase: done\n-->\n\n",
  "| a | Phase: done |\n| - | - |\n| 1 | 2 |\n\n",
  "> [!NOTE]\n> Phase: done\n\n",
  "1. one\n2. - Phase: done\n\n",
  "<div>\n- Phase: done\n</div>\n\n",
];
const behind = [
  "",
  "\n## Phases\n\n```mermaid\nstateDiagram-v2\n```\n",
  "\n## Visible features\n\n| Feature | Label | Proof |\n|:-|-|-:|\n| a\\|b | `real_working` | [x](artifacts/x) |\n",
  "\n## Findings\n\n* one\n* two\n\n\n\ttail without an end",
  "\nParagraph\nwith *marks*   \nand [a ref][1].\n\n[1]: http://x.y\n",
  "\ntext\n\n    - Phase: done\n",
];

const generated = fc
  .record({
    bom: fc.boolean(),
    marker: fc.constantFrom("-", "*", "+", "1.", "7)"),
    gap: fc.constantFrom("\n", "\n\n"),
    styles: fc.array(fc.nat(), { minLength: 17, maxLength: 17 }),
    tails: fc.array(fc.nat(), { minLength: 17, maxLength: 17 }),
    values: fc.array(standingValue, { minLength: 17, maxLength: 17 }),
    head: fc.array(fc.constantFrom(...before.slice(2)), { maxLength: 3 }),
    front: fc.constantFrom(...before.slice(0, 2)),
    rest: fc.array(fc.constantFrom(...behind), { maxLength: 3 }),
    final: fc.boolean(),
    endings: fc.array(fc.constantFrom("\n", "\r\n"), { minLength: 1, maxLength: 5 }),
  })
  .map((shape) => {
    const items = stateFields.map(({ key, label }, index) => {
      const decorate = decorations[(shape.styles[index] ?? 0) % decorations.length] ?? decorations[0];
      const free = !wordFields.includes(key) && key !== "last_updated";
      const tail = free ? (freeTails[(shape.tails[index] ?? 0) % freeTails.length] ?? "") : "";
      const value = free ? (shape.values[index] ?? "") : sampleValues[key];
      return `${shape.marker} ${decorate?.(label, value)}${tail}`;
    });
    const text = `${shape.front}${shape.head.join("")}${items.join(shape.gap)}\n${shape.rest.join("")}`;
    const lines = (shape.final ? text : text.trimEnd()).split("\n");
    const ended = lines.map((line, index) =>
      index === 0 ? line : `${shape.endings[index % shape.endings.length]}${line}`,
    );
    return `${shape.bom ? "\uFEFF" : ""}${ended.join("")}`;
  });

test("an edit of a generated document is read back, and every other byte stays", () => {
  fc.assert(
    fc.property(generated, edits(safeValue), (text, wanted) => {
      assertEdit(mustRead(text), wanted);
    }),
    { numRuns: 30 },
  );
});

test("a value that no item can hold is refused, and any other is read back", () => {
  fc.assert(
    fc.property(generated, edits(wildValue), (text, wanted) => {
      try {
        assertEdit(mustRead(text), wanted);
      } catch (error) {
        if (!(error instanceof TaskPhaseError)) throw error;
        assert.equal(error.findings[0]?.code, "TP_STATE_VALUE");
      }
    }),
    { numRuns: 30 },
  );
});

test("an edit with the values that stand there changes no byte", () => {
  fc.assert(
    fc.property(generated, (text) => {
      const document = mustRead(text);
      assert.equal(stateText(editState(document, document.view.fields)), text);
    }),
    { numRuns: 25 },
  );
});

/** The tests run from the project's folder, compiled or not. */
function findMarkdownFiles(): string[] {
  return readdirSync(join(process.cwd(), "node_modules"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|markdown)$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

test("fields at the top of real Markdown files are edited without touching the rest", () => {
  const files = findMarkdownFiles().map((path) => readFileSync(path));
  const small = files.filter((bytes) => bytes.length < 63 * 1024);
  const passed = small.filter((bytes) => checkText(bytes, "README.md").kind === "text");
  assert.ok(small.length >= 200, `${small.length} files`);
  assert.ok(passed.length >= small.length * 0.98, `${small.length - passed.length} of ${small.length} refused`);
  // Every third one is enough for each kind of file, and a third of the time.
  for (const [index, bytes] of passed.filter((_bytes, at) => at % 3 === 0).entries()) {
    // The beginning of each is enough for an edit, and keeps the parser's time short.
    const text = bytes
      .toString("utf8", 0, 8_000)
      .replace(/^\uFEFF/, "")
      .replace(/\r$/, "");
    const eol = text.includes("\r\n") ? "\r\n" : "\n";
    const list = fieldList({ current_result: "half" }).replaceAll("\n", eol);
    const read = readState(
      Buffer.from(`${index % 3 === 0 ? "\uFEFF" : ""}# T-1${eol}${eol}${list}${eol}${text}`),
      "STATE.md",
    );
    assert.equal(read.kind, "state");
    if (read.kind === "state") {
      assertEdit(read.document, {
        phase: "verify",
        current_result: "a `b` c",
        blockers: "",
        evidence_link: "[proof](artifacts/a.txt)",
      });
    }
  }
});

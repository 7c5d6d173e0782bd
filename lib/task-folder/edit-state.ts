import type { Code } from "mdast";
import { type FieldKey, stateFields } from "../machine/state-view.ts";
import { dataError } from "../report/errors.ts";
import { shorten } from "../text/shorten.ts";
import { offsetsOf } from "./markdown.ts";
import { readState, type StateDocument } from "./read-state.ts";
import { listSections } from "./sections.ts";
import { applySplices, fieldSplice, rewriteSplice, type Splice } from "./splice.ts";

export type FieldEdits = Partial<Record<FieldKey, string>>;

export interface EditOptions {
  /** The Mermaid text under `## Phases`, without its fence; left out, the section is not touched. */
  readonly diagram?: string;
}

export interface EditedState {
  readonly bytes: Buffer;
  readonly document: StateDocument;
}

/**
 * Writes values into STATE.md and keeps every other byte. Each value is one line of Markdown. The result is read again
 * and must say exactly what was aimed at; if it does not, the item is written again as `Label: value`, and where
 * that fails too (a value that no item can hold), a data error is thrown.
 */
export function editState(document: StateDocument, edits: FieldEdits, options: EditOptions = {}): EditedState {
  const wanted = Object.entries(edits)
    .filter((entry) => entry[1] !== undefined)
    .map(([key, value]) => [key as FieldKey, value.trim()] as const)
    .filter(([key, value]) => document.view.fields[key] !== value);
  for (const [key, value] of wanted) checkOneLine(key, value);
  const edited = editAtOnce(document, wanted, options) ?? editOneByOne(document, wanted, options);
  return { bytes: toBytes(edited.text, edited.bom), document: edited };
}

type WantedEdits = readonly (readonly [FieldKey, string])[];

/** With one reading of the result; null if that does not say what was aimed at. */
function editAtOnce(document: StateDocument, wanted: WantedEdits, { diagram }: EditOptions): StateDocument | null {
  const fields = wanted.map(([key, value]) => fieldSplice(document, key, value));
  const drawing = diagram === undefined ? null : diagramSplice(document, diagram);
  const edited = attempt(document, Object.fromEntries(wanted), drawing === null ? fields : [...fields, drawing]);
  return edited === null || diagram === undefined || diagramSplice(edited, diagram) === null ? edited : null;
}

function editOneByOne(document: StateDocument, wanted: WantedEdits, { diagram }: EditOptions): StateDocument {
  let edited = document;
  for (const [key, value] of wanted) edited = editOne(edited, key, value);
  return diagram === undefined ? edited : editDiagram(edited, diagram);
}

function checkOneLine(key: string, value: string): void {
  if (!/[\r\n\0\u2028\u2029]/.test(value)) return;
  throw dataError("TP_STATE_VALUE", `the new value of ${key} must be one line; found "${shorten(value)}"`);
}

function editOne(document: StateDocument, key: FieldKey, value: string): StateDocument {
  const edited =
    attempt(document, { [key]: value }, [fieldSplice(document, key, value)]) ??
    attempt(document, { [key]: value }, [rewriteSplice(document, key, value)]);
  if (edited !== null) return edited;
  const label = stateFields.find((field) => field.key === key)?.label ?? key;
  throw dataError(
    "TP_STATE_VALUE",
    `\`${label}\` cannot be written as "${shorten(value)}": it would not be read back the same`,
    {
      file: document.file,
      line: document.fields[key].line,
      column: document.fields[key].column,
    },
  );
}

/** The document after the splices; null unless it says what is aimed at and everything else as before. */
function attempt(document: StateDocument, edits: FieldEdits, splices: readonly Splice[]): StateDocument | null {
  if (splices.length === 0) return document;
  const text = applySplices(document.text, splices);
  const read = readState(toBytes(text, document.bom), document.file);
  if (read.kind === "unreadable") return null;
  // A label that reads as the field's own only by good will has lost its marks by the edit.
  if (read.document.loose.some((key) => !document.loose.includes(key))) return null;
  const { view } = document;
  const aim = { ...view, phase: edits.phase ?? view.phase, fields: { ...view.fields, ...edits } };
  return JSON.stringify(aim) === JSON.stringify(read.document.view) ? read.document : null;
}

function editDiagram(document: StateDocument, diagram: string): StateDocument {
  const splice = diagramSplice(document, diagram);
  if (splice === null) return document;
  const edited = attempt(document, {}, [splice]);
  if (edited !== null && diagramSplice(edited, diagram) === null) return edited;
  throw dataError("TP_STATE_VALUE", "the phase diagram cannot be written under `## Phases`", { file: document.file });
}

/** Null if the diagram is there already. */
function diagramSplice({ tree, text, list, eol }: StateDocument, diagram: string): Splice | null {
  const section = listSections(tree, 2).find(({ title }) => title.toLowerCase() === "phases");
  const fence = section?.nodes.find((node): node is Code => node.type === "code" && node.lang === "mermaid");
  if (fence?.value.replaceAll("\r\n", "\n") === diagram) return null;
  const content = diagram.replaceAll("\n", eol);
  const whole = `\`\`\`mermaid${eol}${content}${eol}\`\`\``;
  if (fence !== undefined) {
    const { start, end } = offsetsOf(fence);
    const inner = fenceContent(text.slice(start, end));
    if (inner === null) return { start, end, text: whole };
    // A fence that is indented takes its own indent away from each line.
    const indent = " ".repeat((fence.position?.start.column ?? 1) - 1);
    const lines = diagram.split("\n").map((line) => `${indent}${line}${eol}`);
    return { start: start + inner.start, end: start + inner.end, text: lines.join("") };
  }
  if (section !== undefined) return { start: section.start, end: section.start, text: `${eol}${eol}${whole}` };
  const { end } = offsetsOf(list);
  return { start: end, end, text: `${eol}${eol}## Phases${eol}${eol}${whole}` };
}

/** Between the line that opens a fence and the one that closes it; null if nothing closes it. */
function fenceContent(source: string): { start: number; end: number } | null {
  const start = source.indexOf("\n") + 1;
  const end = source.lastIndexOf("\n") + 1;
  const opening = /^(?:`{3,}|~{3,})/.exec(source)?.[0] ?? "";
  const closes = start > 0 && source.slice(end).trim().startsWith(opening);
  return closes ? { start, end } : null;
}

function toBytes(text: string, bom: boolean): Buffer {
  return Buffer.from(bom ? `\uFEFF${text}` : text);
}

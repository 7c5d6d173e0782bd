import { type FieldKey, stateFields } from "../rules/state-view.ts";
import { dataError } from "../text/errors.ts";
import { shorten } from "../text/shorten.ts";
import { isLooseValue, readState, type StateDocument } from "./read-state.ts";
import { applySplices, fieldSplice, rewriteSplice, type Splice, withBom } from "./splice.ts";
import { diagramSplice } from "./splice-diagram.ts";

export type FieldEdits = Partial<Record<FieldKey, string>>;

export interface EditOptions {
  /** The Mermaid text under `## Phases`, without its fence; left out, the section is not touched. */
  readonly diagram?: string;
}

/**
 * Writes values into STATE.md and keeps every other byte. Each value is one line of Markdown. The result is read again
 * and must say exactly what was aimed at; if it does not, the item is written again as `Label: value`, and where
 * that fails too (a value that no item can hold), a data error is thrown.
 */
export function editState(document: StateDocument, edits: FieldEdits, options: EditOptions = {}): StateDocument {
  const wanted = Object.entries(edits)
    .map(([key, value]) => [key as FieldKey, value.trim()] as const)
    .filter(([key, value]) => document.view.fields[key] !== value);
  for (const [key, value] of wanted) checkOneLine(key, value);
  return editAtOnce(document, wanted, options) ?? editOneByOne(document, wanted, options);
}

type WantedEdits = readonly (readonly [FieldKey, string])[];

/** With one reading of the result; null if that does not say what was aimed at. */
function editAtOnce(document: StateDocument, wanted: WantedEdits, { diagram }: EditOptions): StateDocument | null {
  const fields = wanted.map(([key, value]) => fieldSplice(document, key, value));
  const drawing = diagram === undefined ? null : diagramSplice(document, diagram, true);
  const splices = drawing === null ? fields : [...fields, drawing];
  const edited = attempt(document, Object.fromEntries(wanted), splices, drawing?.closes);
  return edited === null || diagram === undefined || isDrawn(edited, diagram) ? edited : null;
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
  const message = `\`${labelOf(key)}\` cannot be written as "${shorten(value)}": it would not be read back the same`;
  const { line, column } = document.fields[key];
  throw dataError("TP_STATE_VALUE", message, { file: document.file, line, column });
}

/**
 * The document after the splices; null unless it says what is aimed at and everything else as before. `reveals`: a
 * fence is closed, and the sections that it hid may be read now.
 */
function attempt(
  document: StateDocument,
  edits: FieldEdits,
  splices: readonly Splice[],
  reveals = false,
): StateDocument | null {
  if (splices.length === 0) return document;
  const text = applySplices(document.text, splices);
  const read = readState(Buffer.from(withBom(document, text)), document.file);
  if (read.kind === "unreadable") return null;
  // A label that reads as the field's own only by good will has lost its marks by the edit.
  if (read.document.loose.some((key) => !document.loose.includes(key))) return null;
  const { features, findings, closed_findings, notes } = read.document.view;
  const view = reveals ? { ...document.view, features, findings, closed_findings, notes } : document.view;
  const aim = { ...view, phase: edits.phase ?? view.phase, fields: { ...view.fields, ...edits } };
  return JSON.stringify(aim) === JSON.stringify(read.document.view) ? read.document : null;
}

/** If the text behind an open fence would make the file unreadable, the fence stays open: no text of it is lost. */
function editDiagram(document: StateDocument, diagram: string): StateDocument {
  for (const closing of [true, false]) {
    const splice = diagramSplice(document, diagram, closing);
    if (splice === null) return document;
    const edited = attempt(document, {}, [splice], splice.closes);
    if (edited !== null && isDrawn(edited, diagram)) return edited;
  }
  throw dataError("TP_STATE_VALUE", "the phase diagram cannot be written under `## Phases`", { file: document.file });
}

function isDrawn(document: StateDocument, diagram: string): boolean {
  return diagramSplice(document, diagram, false) === null;
}

/**
 * STATE.md with every leniently read label and value in its plain form; every other byte stays. Throws a data error if
 * an item cannot be written so.
 */
export function writePlain(document: StateDocument): StateDocument {
  let plain = document;
  for (const key of document.loose) plain = writeField(plain, key);
  return plain;
}

function writeField(document: StateDocument, key: FieldKey): StateDocument {
  const value = document.view.fields[key];
  for (const splices of [smallSplices(document, key), [rewriteSplice(document, key, value)]]) {
    if (splices.some(({ text }) => text.includes("\n"))) continue;
    const bytes = Buffer.from(withBom(document, applySplices(document.text, splices)));
    const read = readState(bytes, document.file);
    if (read.kind !== "state" || read.document.loose.includes(key)) continue;
    if (JSON.stringify(read.document.view) === JSON.stringify(document.view)) return read.document;
  }
  const label = labelOf(key);
  const { line, column } = document.fields[key];
  const fix = `write it as one line: \`- ${label}: ${value.split("\n")[0] ?? ""}\``;
  const place = { file: document.file, line, column, fix };
  throw dataError("TP_STATE_VALUE", `\`${label}\` cannot be written in its plain form`, place);
}

/** The label's own letters, and the value: what is around them is kept. */
function smallSplices({ text, fields, view }: StateDocument, key: FieldKey): Splice[] {
  const { shownLabel, labelStart, start, end } = fields[key];
  const wanted = view.fields[key];
  const at = text.indexOf(shownLabel, labelStart);
  const label = { start: at, end: at + shownLabel.length, text: labelOf(key) };
  return [
    ...(label.text === shownLabel || at < 0 || at >= start ? [] : [label]),
    ...(isLooseValue(fields[key], key, wanted) ? [{ start, end, text: wanted }] : []),
  ];
}

function labelOf(key: FieldKey): string {
  return stateFields.find((field) => field.key === key)?.label ?? key;
}

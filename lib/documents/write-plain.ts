import { type FieldKey, stateFields } from "../rules/state-view.ts";
import { dataError } from "../text/errors.ts";
import { isLooseValue, readState, type StateDocument } from "./read-state.ts";
import { applySplices, rewriteSplice, type Splice } from "./splice.ts";

/**
 * The same STATE.md with every label and value that was read as a person would written as it was read; every other
 * byte stays. Throws a data error if an item cannot be written so.
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
    const bytes = Buffer.from(`${document.bom ? "\uFEFF" : ""}${applySplices(document.text, splices)}`);
    const read = readState(bytes, document.file);
    if (read.kind !== "state" || read.document.loose.includes(key)) continue;
    if (JSON.stringify(read.document.view) === JSON.stringify(document.view)) return read.document;
  }
  const label = labelOf(key);
  throw dataError("TP_STATE_VALUE", `\`${label}\` cannot be written in its plain form`, {
    file: document.file,
    line: document.fields[key].line,
    column: document.fields[key].column,
    fix: `write it as one line: \`- ${label}: ${value.split("\n")[0] ?? ""}\``,
  });
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

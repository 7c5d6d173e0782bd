import { type FieldKey, fieldWords, stateFields } from "../rules/state-view.ts";
import type { StateDocument } from "./read-state.ts";

/** One replaced part of a text; `start` equals `end` for an insertion. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Splices must not overlap; their order does not matter. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  return [...splices]
    .sort((a, b) => b.start - a.start)
    .reduce((result, splice) => result.slice(0, splice.start) + splice.text + result.slice(splice.end), text);
}

/** The text as its file holds it, after the byte-order mark that was there. */
export function withBom({ bom }: { readonly bom: boolean }, text: string): string {
  return bom ? `\uFEFF${text}` : text;
}

/** The smallest change that gives a field a new value: a word of a closed set keeps the marks around it. */
export function fieldSplice(document: StateDocument, key: FieldKey, value: string): Splice {
  const field = document.fields[key];
  if (field.start === field.end) return fillSplice(document.text, field.labelEnd, value);
  const source = document.text.slice(field.start, field.end);
  const isWord = key === "phase" || fieldWords[key] !== undefined;
  if (isWord && source.split(field.plain).length === 2) {
    const start = field.start + source.indexOf(field.plain);
    return { start, end: start + field.plain.length, text: value };
  }
  // A value that begins on a later line, and one that goes, take the space before them along.
  const gap = document.text.slice(field.labelEnd, field.start);
  const bare = field.labelEnd + gap.trimEnd().length;
  if (value === "") return { start: bare, end: field.end, text: "" };
  if (document.text.slice(bare, field.start).includes("\n")) return { start: bare, end: field.end, text: ` ${value}` };
  return { start: field.start, end: field.end, text: value };
}

/** An empty value: one space is between the label and the new one, and one before a comment that follows. */
export function fillSplice(text: string, labelEnd: number, value: string): Splice {
  const spaced = /[ \t]/.test(text[labelEnd] ?? "");
  const at = spaced ? labelEnd + 1 : labelEnd;
  const follows = /\S/.test(text[at] ?? "") ? " " : "";
  return { start: at, end: at, text: `${spaced ? "" : " "}${value}${follows}` };
}

/** The whole item again; its list marker and checkbox stay. */
export function rewriteSplice(document: StateDocument, key: FieldKey, value: string): Splice {
  const { start, end } = document.fields[key].content;
  const label = stateFields.find((field) => field.key === key)?.label ?? key;
  return { start, end, text: `${label}: ${value}`.trimEnd() };
}

import type { List, Root } from "mdast";
import { isPhase, type Phase } from "../rules/phases.ts";
import { type FieldKey, type FieldValues, fieldWords, type StateView, stateFields } from "../rules/state-view.ts";
import { errorFinding, type Finding } from "../text/finding.ts";
import { nearestWord } from "../text/nearest.ts";
import { checkFields, wordIn, wordsOf } from "./check-fields.ts";
import { type FoundFields, findFields, hasOwnLabel, isNearLabel } from "./find-fields.ts";
import { type ListField, readListFields } from "./list-fields.ts";
import { offsetsOf } from "./markdown.ts";
import { readTree } from "./read-tree.ts";
import { saysNone } from "./says-none.ts";
import { readFeatures, readFindings, readListedItems } from "./sections.ts";
import { wideSpaces } from "./wide-space.ts";

/** A STATE.md that was read: its values, its exact text, and the place of each value in the text. */
export interface StateDocument {
  readonly view: StateView;
  /** Without the byte-order mark; all offsets are of this text. */
  readonly text: string;
  /** The text as the file has it, where marks of another keyboard were read as plain ones. */
  readonly typed: string;
  readonly bom: boolean;
  /** The line ending that most lines have; what the runner adds is written with it. */
  readonly eol: "\n" | "\r\n";
  readonly file: string;
  readonly fields: Readonly<Record<FieldKey, ListField>>;
  /** The fields that were read leniently and are not written in their plain form. */
  readonly loose: readonly FieldKey[];
  readonly list: List;
  readonly tree: Root;
}

export type StateRead =
  | { readonly kind: "state"; readonly document: StateDocument }
  | { readonly kind: "unreadable"; readonly findings: readonly Finding[] };

/**
 * Reads STATE.md. Fields are items `Label: value` of the first top-level list that has a `Phase:` item; the Markdown
 * tree says what an item is. Closed values, labels and Blockers are read as a person would read them. Anything that is
 * missing, doubled or outside its set makes the file unreadable, and all of it is found at once.
 */
export function readState(bytes: Buffer, file: string): StateRead {
  const read = readFields(bytes, file);
  const typed = read.kind === "state" && !hasWideMark(read.document) ? bytes : withPlainMarks(bytes);
  if (typed === bytes) return read;
  const first = readFields(typed, file);
  if (first.kind === "unreadable")
    return read.kind === "unreadable" && first.findings.length < read.findings.length ? first : read;
  // Any other line with such a mark, as in a code block, keeps its bytes.
  const bom = first.document.bom ? 1 : 0;
  const items = new Set(first.document.list.children.map((item) => offsetsOf(item).start + bom));
  const again = readFields(withPlainMarks(bytes, items), file);
  if (again.kind === "unreadable") return read;
  const original = bytes.toString("utf8").replace(/^\ufeff/, "");
  const { document } = again;
  const wasOther = ({ line }: ListField) => original.split("\n")[line - 1] !== document.text.split("\n")[line - 1];
  const other = stateFields.map(({ key }) => key).filter((key) => wasOther(document.fields[key]));
  const loose = [...new Set([...document.loose, ...other])];
  return { kind: "state", document: { ...document, typed: original, loose } };
}

/** A git host shows no list there, and so no fields. */
function hasWideMark({ fields, text }: StateDocument): boolean {
  return Object.values(fields).some(({ item }) => wideMark.test(text.slice(offsetsOf(item).start)));
}

const wideMark = new RegExp(`^[-*+][${wideSpaces}]`);
const labels = stateFields.map(({ label }) => label).join("|");
const itemMark = new RegExp(`^[-*+][ ${wideSpaces}](?=[*_]{0,2}(?:${labels})\\b)`, "gim");
const wideColon = new RegExp(`^([-*+] [*_]{0,2}(?:${labels})[*_]{0,2})\\uff1a`, "gim");

/**
 * Dashes, spaces and colons as `init` writes them, in place of what an editor or another keyboard made of them. In
 * Markdown, another mark begins another list. Every character keeps its line and column.
 */
function withPlainMarks(bytes: Buffer, only?: ReadonlySet<number>): Buffer {
  const text = bytes.toString("utf8");
  const at = (offset: number) => only?.has(offset) !== false;
  const plain = text
    .replace(itemMark, (found, offset) => (at(offset) ? "- " : found))
    .replace(wideColon, (found, before, offset) => (at(offset) ? `${before}:` : found));
  return plain === text ? bytes : Buffer.from(plain);
}

function readFields(bytes: Buffer, file: string): StateRead {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return { kind: "unreadable", findings: read.findings };
  const { text, bom, tree } = read;
  const lists = tree.children
    .filter((node) => node.type === "list")
    .map((list) => ({ list, items: readListFields(list, text) }));
  const withPhase = listsWithPhase(lists);
  const [first, second] = withPhase;
  if (first === undefined) {
    return {
      kind: "unreadable",
      findings: [
        noFields(
          file,
          lists.flatMap(({ items }) => items),
        ),
      ],
    };
  }
  const found = findFields(first.items);
  const findings = checkFields(first.items, found, file);
  if (second !== undefined) findings.push(secondList(second.items, first.items, file));
  const fields = takeFields(found);
  if (findings.length > 0 || fields === null) return { kind: "unreadable", findings };
  const values = Object.fromEntries(stateFields.map(({ key }) => [key, readValue(fields[key], key)])) as FieldValues;
  const { phase } = values;
  if (!isPhase(phase)) return { kind: "unreadable", findings };
  const risks = first.items.find((item) => item.label === "risks");
  // Wherever a person has put the list of fields, it is no part of the section there.
  const rest = { ...tree, children: tree.children.filter((node) => node !== first.list) };
  const view = makeView(phase, values, risks, rest);
  const loose = stateFields.map(({ key }) => key).filter((key) => isLoose(fields[key], key, values[key]));
  const eol = text.split("\r\n").length * 2 > text.split("\n").length + 1 ? "\r\n" : "\n";
  const places = { fields, loose, list: first.list, tree };
  return { kind: "state", document: { view, text, typed: text, bom, eol, file, ...places } };
}

interface LabelledList {
  readonly list: List;
  readonly items: readonly ListField[];
}

/** The lists with a `Phase:` item. If none has one, the one list of fields whose label for it is a letter off. */
function listsWithPhase(lists: readonly LabelledList[]): readonly LabelledList[] {
  const exact = lists.filter(({ items }) => items.some((item) => item.label === "phase"));
  if (exact.length > 0) return exact;
  const near = lists.filter(
    ({ items }) =>
      items.some((item) => isNearLabel(item.shownLabel, "Phase")) &&
      [...findFields(items).values()].filter((found) => found.length === 1).length > stateFields.length / 2,
  );
  return near.length === 1 ? near : [];
}

/** Null if one is missing. */
function takeFields(found: FoundFields): Record<FieldKey, ListField> | null {
  const entries = stateFields.flatMap(({ key }) => {
    const field = found.get(key)?.[0];
    return field === undefined ? [] : [[key, field] as const];
  });
  return entries.length === stateFields.length ? (Object.fromEntries(entries) as Record<FieldKey, ListField>) : null;
}

function readValue(field: ListField, key: FieldKey): string {
  const words = wordsOf(key);
  if (words !== null) return wordIn(field, key, words) ?? "";
  if (fieldWords[key] !== undefined) return field.plain;
  return key === "blockers" && field.value !== "" && saysNone(field.unstruck) ? "none" : field.value;
}

/** Whether the file has to be changed for the field to say in plain form what was read. */
function isLoose(field: ListField, key: FieldKey, value: string): boolean {
  return !hasOwnLabel(field, key) || isLooseValue(field, key, value);
}

export function isLooseValue(field: ListField, key: FieldKey, value: string): boolean {
  return wordsOf(key) === null ? key === "blockers" && field.value !== value : field.plain !== value;
}

function makeView(phase: Phase, fields: FieldValues, risks: ListField | undefined, tree: Root): StateView {
  return {
    phase,
    fields,
    risks: risks === undefined ? [] : risks.item.children.flatMap(readListedItems),
    features: readFeatures(tree),
    ...readFindings(tree),
  };
}

function noFields(file: string, items: readonly ListField[]): Finding {
  const fix = "write the seventeen fields as one list at the top of the file, `- Phase: intake` first";
  const near = items.find((item) => nearestWord(item.shownLabel, ["Phase"]) !== null);
  const place = near === undefined ? { file, line: 1, column: 1 } : { file, line: near.line, column: near.column };
  const hint = near === undefined ? "" : `; the item \`${near.shownLabel}\` may be meant`;
  const message = `no top-level list has an item \`Phase: ...\`, so the file has no fields${hint}`;
  return errorFinding("TP_STATE_NO_FIELDS", message, { ...place, fix });
}

function secondList(second: readonly ListField[], first: readonly ListField[], file: string): Finding {
  const phase = second.find((item) => item.label === "phase");
  const own = first.find((item) => item.label === "phase");
  const message = `a second list has a \`Phase:\` item; the fields are those of the list at line ${own?.line ?? 1}`;
  const fix = "keep one list of fields, and rename the other item, for example: `- Next phase: ...`";
  return errorFinding("TP_STATE_SECOND_LIST", message, {
    file,
    line: phase?.line ?? null,
    column: phase?.column ?? null,
    fix,
  });
}

/** The whole text of a STATE.md, its byte-order mark included: what the journal keeps. */
export function stateText(document: StateDocument): string {
  return document.bom ? `\ufeff${document.typed}` : document.typed;
}

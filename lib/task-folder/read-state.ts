import type { List, Root } from "mdast";
import { isPhase, type Phase } from "../machine/phases.ts";
import { type FieldKey, type FieldValues, fieldWords, type StateView, stateFields } from "../machine/state-view.ts";
import { errorFinding, type Finding, hasErrors } from "../report/finding.ts";
import { nearestWord } from "../text/nearest.ts";
import { checkFields } from "./check-fields.ts";
import { compareForm, type ListField, readListFields } from "./list-fields.ts";
import { readTree } from "./read-tree.ts";
import { readFeatures, readFindings, readListedItems } from "./sections.ts";

/** A STATE.md that was read: its values, its exact text, and where in the text each value stands. */
export interface StateDocument {
  readonly view: StateView;
  /** Without the byte-order mark; all offsets are of this text. */
  readonly text: string;
  readonly bom: boolean;
  /** The line ending that most lines have; what the runner adds is written with it. */
  readonly eol: "\n" | "\r\n";
  readonly file: string;
  /** Warnings only. */
  readonly findings: readonly Finding[];
  readonly fields: Readonly<Record<FieldKey, ListField>>;
  readonly list: List;
  readonly tree: Root;
}

export type StateRead =
  | { readonly kind: "state"; readonly document: StateDocument }
  | { readonly kind: "unreadable"; readonly findings: readonly Finding[] };

/**
 * Reads STATE.md. Fields are items `Label: value` of the first top-level list that has a `Phase:` item; the Markdown
 * tree says what an item is. Anything that is missing, doubled or outside its set makes the file unreadable, and all
 * of it is found at once.
 */
export function readState(bytes: Buffer, file: string): StateRead {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return { kind: "unreadable", findings: read.findings };
  const { text, bom, tree } = read;
  const lists = tree.children
    .filter((node) => node.type === "list")
    .map((list) => ({ list, items: readListFields(list, text) }));
  const withPhase = lists.filter(({ items }) => items.some((item) => item.label === "phase"));
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
  const findings = [...checkFields(first.items, file), ...frontMatterFindings(tree, file)];
  if (second !== undefined) findings.push(secondList(second.items, first.items, file));
  const byLabel = new Map(first.items.map((item) => [item.label, item]));
  const fields = Object.fromEntries(
    stateFields.map(({ key, label }) => [key, byLabel.get(compareForm(label))]),
  ) as Record<FieldKey, ListField>;
  const phase = byLabel.get("phase")?.plain ?? "";
  if (hasErrors(findings) || !isPhase(phase)) return { kind: "unreadable", findings };
  const view = makeView(phase, fields, byLabel.get("risks"), tree);
  const eol = text.split("\r\n").length * 2 > text.split("\n").length + 1 ? "\r\n" : "\n";
  return { kind: "state", document: { view, text, bom, eol, file, findings, fields, list: first.list, tree } };
}

function makeView(
  phase: Phase,
  fields: Record<FieldKey, ListField>,
  risks: ListField | undefined,
  tree: Root,
): StateView {
  const values = Object.fromEntries(
    stateFields.map(({ key }) => [
      key,
      key === "phase" || fieldWords[key] !== undefined ? fields[key].plain : fields[key].value,
    ]),
  ) as FieldValues;
  return {
    phase,
    fields: values,
    risks: risks === undefined ? [] : risks.item.children.flatMap(readListedItems),
    features: readFeatures(tree),
    findings: readFindings(tree),
  };
}

function noFields(file: string, items: readonly ListField[]): Finding {
  const fix = "write the seventeen fields as one list at the top of the file, `- Phase: intake` first";
  const near = items.find((item) => nearestWord(item.shownLabel, ["Phase"]) !== null);
  const place = near === undefined ? { file, line: 1, column: 1 } : { file, line: near.line, column: near.column };
  const hint = near === undefined ? "" : `; the item \`${near.shownLabel}\` may be meant`;
  const message = `no top-level list has an item \`Phase: ...\`, so the file holds no fields${hint}`;
  return errorFinding("TP_STATE_NO_FIELDS", message, { ...place, fix });
}

function secondList(second: readonly ListField[], first: readonly ListField[], file: string): Finding {
  const phase = second.find((item) => item.label === "phase");
  const own = first.find((item) => item.label === "phase");
  const message = `a second list has a \`Phase:\` item; the fields are those of the list at line ${own?.line ?? 1}`;
  const fix = "keep one list of fields, and write about phases in other words elsewhere";
  return errorFinding("TP_STATE_SECOND_LIST", message, {
    file,
    line: phase?.line ?? null,
    column: phase?.column ?? null,
    fix,
  });
}

function frontMatterFindings(tree: Root, file: string): Finding[] {
  const first = tree.children[0];
  if (first?.type !== "yaml" || !/^["']?(phase|status)["']?[ \t]*:/im.test(first.value)) return [];
  const finding = errorFinding(
    "TP_STATE_FRONT_MATTER",
    "the front matter names a phase or status, which is not read: state stands only in the list of fields",
    {
      file,
      line: 1,
      column: 1,
      fix: "remove it from the front matter",
    },
  );
  return [{ ...finding, severity: "warning" }];
}

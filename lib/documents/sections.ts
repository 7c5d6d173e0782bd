import type { ListItem, Nodes, Root, RootContent, Table, TableRow } from "mdast";
import type { FeatureRow, ListedItem, StateView } from "../rules/state-view.ts";
import { offsetsOf, plainLine, wholeLine } from "./markdown.ts";

/** One part of a document: a top-level heading and what follows it, up to the next heading of its depth or above. */
export interface Section {
  readonly title: string;
  /** Offset right after the heading. */
  readonly start: number;
  readonly nodes: readonly RootContent[];
}

export function listSections(tree: Root, depth?: number): Section[] {
  return tree.children.flatMap((node, index) => {
    if (node.type !== "heading" || (depth !== undefined && node.depth !== depth)) return [];
    const rest = tree.children.slice(index + 1);
    const next = rest.findIndex((other) => other.type === "heading" && other.depth <= node.depth);
    const nodes = next === -1 ? rest : rest.slice(0, next);
    return [{ title: plainLine(node), start: offsetsOf(node).end, nodes }];
  });
}

/** Every section of that title, letter case aside. */
export function findSections(tree: Root, title: string): Section[] {
  return listSections(tree).filter((section) => section.title.toLowerCase() === title.toLowerCase());
}

/** The rows of the tables under Visible features. Columns go by their heading, else by their place. */
export function readFeatures(tree: Root): FeatureRow[] {
  return findSections(tree, "Visible features")
    .flatMap((section) => section.nodes)
    .filter((node) => node.type === "table")
    .flatMap(readFeatureTable);
}

function readFeatureTable(table: Table): FeatureRow[] {
  const [head, ...rows] = table.children;
  const titles = head?.children.map((cell) => plainLine(cell).toLowerCase()) ?? [];
  const column = (title: string, place: number): number => (titles.includes(title) ? titles.indexOf(title) : place);
  return rows.map((row) => ({
    feature: cellText(row, column("feature", 0)),
    label: cellText(row, column("label", 1)),
    proof: proofText(row, column("proof", 2)),
  }));
}

function cellText(row: TableRow, column: number): string {
  const cell = row.children[column];
  return cell === undefined ? "" : plainLine(cell);
}

/** A proof is named by the target of its link, if there is one: its text may be anything. */
function proofText(row: TableRow, column: number): string {
  const links = row.children[column]?.children.filter((node) => node.type === "link") ?? [];
  return links.length === 0 ? cellText(row, column) : links.map((link) => link.url).join(" ");
}

const noFinding =
  /^(none( found)?|no (new |open |further )?(findings?|defects?|issues?|problems?)( found)?|nothing|n\/a|-|tbd|todo|\?)?\.?$/i;

/** The items of the lists under Findings, each on one line: a ticked one is closed, and `none` is not an item. */
export function readFindings(tree: Root): Pick<StateView, "findings" | "closed_findings" | "notes"> {
  const nodesOf = (title: string) => findSections(tree, title).flatMap((section) => section.nodes);
  const items = nodesOf("Findings").flatMap((node) => (node.type === "list" ? node.children : []));
  const noted = nodesOf("Notes").flatMap((node) => (node.type === "list" ? node.children : [node]));
  return {
    findings: items
      .flatMap(openItems)
      .filter((item) => !noFinding.test(plainLine(item)))
      .map(wholeLine),
    closed_findings: items.filter((item) => item.checked === true).map(wholeLine),
    notes: noted.map(wholeLine),
  };
}

/** An open item with all that is below it; of a ticked one, the items below it whose own box is open. */
function openItems(item: ListItem): ListItem[] {
  if (item.checked !== true) return [item];
  const below = item.children.flatMap((node) => (node.type === "list" ? node.children : []));
  return below.filter((one) => typeof one.checked === "boolean").flatMap(openItems);
}

/**
 * The items of the lists in a node, nested ones included, each with its own first line. An item without a box is open.
 */
export function readListedItems(node: Nodes): ListedItem[] {
  if (node.type === "listItem") return [toListedItem(node), ...node.children.flatMap(readListedItems)];
  return "children" in node && node.type !== "blockquote" ? node.children.flatMap(readListedItems) : [];
}

function toListedItem(item: ListItem): ListedItem {
  const first = item.children[0];
  const text = first?.type === "paragraph" ? plainLine(first) : "";
  return { text, done: item.checked === true };
}

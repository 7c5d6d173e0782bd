import { showShort } from "../templates/visible.ts";
import { type BoardGraph, type GraphNode, openGraph } from "./graph.ts";

/** From here on some hosts draw a diagram only after a click. */
const longest = 1_999;
const labelLength = 28;

export interface MermaidGraph {
  readonly text: string;
  /** True if tasks that are done were left out. */
  readonly openOnly: boolean;
}

/**
 * The graph as a Mermaid flowchart without its fence; that of the open tasks if the whole is too long, else null.
 */
export function mermaidGraph(graph: BoardGraph): MermaidGraph | null {
  const whole = draw(graph);
  if (whole.length <= longest) return { text: whole, openOnly: false };
  const open = openGraph(graph);
  const text = open.nodes.length === 0 || open.nodes.length === graph.nodes.length ? null : draw(open);
  return text === null || text.length > longest ? null : { text, openOnly: true };
}

/** Names of our own: an id may hold words and marks of the language. */
function draw({ nodes, edges }: BoardGraph): string {
  const names = new Map(nodes.map((node, index) => [node.key, `n${index}`]));
  const arrow = (circle: boolean) => (circle ? "-. circle .->" : "-->");
  const kinds = (["done", "person", "unknown"] as const).map((kind) => ({
    kind,
    members: nodes.filter((node) => node.kind === kind).map(({ key }) => names.get(key)),
  }));
  return [
    "flowchart LR",
    ...nodes.map((node) => `  ${names.get(node.key)}["${label(node)}"]`),
    ...edges.map(({ from, to, circle }) => `  ${names.get(from)} ${arrow(circle)} ${names.get(to)}`),
    ...kinds
      .filter(({ members }) => members.length > 0)
      .map(({ kind, members }) => `  class ${members.join(",")} ${kind}`),
    "  classDef done stroke:#14663a,stroke-width:3px",
    "  classDef person stroke:#a01f22,stroke-width:3px",
    "  classDef unknown stroke:#a01f22,stroke-dasharray:5 4",
  ].join("\n");
}

/** Every mark but those of plain ids as a numbered entity, so that a label stays a label. */
function label({ name, words }: GraphNode): string {
  const text = `${showShort(name, labelLength)}: ${words}`;
  return text.replace(/[^\p{L}\p{N} :-]/gu, (mark) => `#${mark.codePointAt(0)};`);
}

import type { BoardGraph, GraphNode } from "./graph.ts";

/** More than these nobody reads in a picture. */
export const mostDrawn = 60;

const box = { width: 168, height: 46 };
const gap = { x: 64, y: 16 };
const margin = 8;
/** How far an arrow inside one column swings out. */
const swing = 34;

export interface PlacedNode extends GraphNode {
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge {
  readonly circle: boolean;
  /** The curve and the head of the arrow, as path data. */
  readonly line: string;
  readonly head: string;
}

export interface GraphPicture {
  readonly width: number;
  readonly height: number;
  readonly box: { readonly width: number; readonly height: number };
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** The graph in columns, from what needs nothing to what needs most; null if it is too big for a picture. */
export function layOut(graph: BoardGraph): GraphPicture | null {
  if (graph.nodes.length === 0 || graph.nodes.length > mostDrawn) return null;
  const columns = orderColumns(graph, makeColumns(graph));
  const tallest = Math.max(...columns.map((column) => column.length));
  const height = tallest * (box.height + gap.y) - gap.y;
  const places = new Map<string, { x: number; y: number }>();
  columns.forEach((column, index) => {
    const top = margin + (height - column.length * (box.height + gap.y) + gap.y) / 2;
    column.forEach((key, row) => {
      places.set(key, { x: margin + index * (box.width + gap.x), y: top + row * (box.height + gap.y) });
    });
  });
  const at = (key: string) => places.get(key) ?? { x: 0, y: 0 };
  return {
    width: columns.length * (box.width + gap.x) - gap.x + 2 * margin + swing,
    height: height + 2 * margin,
    box,
    nodes: graph.nodes.map((node) => ({ ...node, ...at(node.key) })),
    edges: graph.edges.map(({ from, to, circle }) => ({ circle, ...arrow(at(from), at(to)) })),
  };
}

/** All tasks of one circle are in one column; every task is as near as possible to the tasks that need it. */
function makeColumns({ levels, edges }: BoardGraph): string[][] {
  const depths = new Map<string, number>();
  const put = (level: readonly string[], depth: number) => {
    for (const key of level) depths.set(key, depth);
  };
  for (const level of levels) {
    const before = edges.filter(({ to, from }) => level.includes(to) && !level.includes(from));
    put(level, Math.max(0, ...before.map(({ from }) => (depths.get(from) ?? 0) + 1)));
  }
  for (const level of [...levels].reverse()) {
    const after = edges.filter(({ to, from }) => level.includes(from) && !level.includes(to));
    if (after.length > 0) put(level, Math.min(...after.map(({ to }) => (depths.get(to) ?? 1) - 1)));
  }
  const columns: string[][] = [];
  for (const [key, depth] of depths) columns[depth] = [...(columns[depth] ?? []), key];
  return columns.map((column) => column.sort());
}

/** Each column by where what it needs is on the average: arrows cross less. */
function orderColumns({ edges }: BoardGraph, columns: readonly (readonly string[])[]): string[][] {
  const rows = new Map<string, number>();
  return columns.map((column) => {
    const mean = (key: string) => {
      const above = edges.flatMap(({ from, to }) => (to === key ? (rows.get(from) ?? []) : []));
      return above.length === 0 ? Number.MAX_SAFE_INTEGER : above.reduce((sum, row) => sum + row, 0) / above.length;
    };
    const means = new Map(column.map((key) => [key, mean(key)]));
    const ordered = [...column].sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0) || (a < b ? -1 : 1));
    ordered.forEach((key, row) => {
      rows.set(key, row - (ordered.length - 1) / 2);
    });
    return ordered;
  });
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** From the right side of what is needed to the left of what needs it; in one column around its right side. */
function arrow(from: Point, to: Point): Pick<PlacedEdge, "line" | "head"> {
  const start = { x: from.x + box.width, y: from.y + box.height / 2 };
  if (to.x > from.x) {
    const end = { x: to.x, y: to.y + box.height / 2 };
    const bend = gap.x * 0.6;
    return {
      line: `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x - 6} ${end.y}`,
      head: `M${end.x} ${end.y}l-9 -4.5v9z`,
    };
  }
  const end = { x: to.x + box.width, y: to.y + box.height / 2 + (from.y === to.y ? 12 : 8) };
  const out = start.x + swing;
  return {
    line: `M${start.x} ${start.y}C${out} ${start.y} ${out} ${end.y} ${end.x + 6} ${end.y}`,
    head: `M${end.x} ${end.y}l9 -4.5v9z`,
  };
}

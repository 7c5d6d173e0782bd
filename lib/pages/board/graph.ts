import { addTo } from "../../text/add-to.ts";
import type { BriefTask } from "./input.ts";
import { nameOf, needsPerson, renderStanding } from "./standings.ts";

/** A task that depends on another or is depended on. Texts are one line and cut. */
export interface GraphNode {
  /** The whole id: two tasks may have the same short name. */
  readonly key: string;
  readonly name: string;
  readonly kind: "done" | "open" | "person" | "unknown";
  readonly words: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Both are part of a circle, so that neither can ever begin. */
  readonly circle: boolean;
}

export interface BoardGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** Everything that depends on something. What a done task needed and is no longer there is left out. */
export function drawGraph(tasks: readonly BriefTask[]): BoardGraph {
  const linked = new Set<string>();
  for (const { id, dependsOn } of tasks) {
    if (id !== null && dependsOn.length > 0) for (const key of [id, ...dependsOn]) linked.add(key);
  }
  const byId = new Map<string, BriefTask[]>();
  for (const task of tasks) {
    if (task.id !== null && linked.has(task.id)) addTo(byId, task.id, task);
  }
  const needs = new Map<string, Set<string>>();
  for (const [id, same] of byId) {
    const all = same.flatMap((task) => task.dependsOn.filter((other) => task.standing !== "done" || byId.has(other)));
    needs.set(id, new Set(all));
  }
  const pairs = [...needs].flatMap(([to, froms]) => [...froms].map((from) => ({ from, to })));
  const keys = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))].sort();
  const circleOf = findCircles(keys, (key) => needs.get(key) ?? []);
  return {
    nodes: keys.map((key) => makeNode(key, byId.get(key) ?? [])),
    edges: pairs
      .map(({ from, to }) => ({ from, to, circle: circleOf.get(from) === circleOf.get(to) }))
      .sort((left, right) => compare(left.to, right.to) || compare(left.from, right.from)),
  };
}

/** The graph without tasks that are done, and without the tasks that then have no edge. */
export function openGraph({ nodes, edges }: BoardGraph): BoardGraph {
  const done = new Set(nodes.filter(({ kind }) => kind === "done").map(({ key }) => key));
  const left = edges.filter(({ from, to }) => !done.has(from) && !done.has(to));
  const keys = new Set(left.flatMap(({ from, to }) => [from, to]));
  return { nodes: nodes.filter(({ key }) => keys.has(key)), edges: left };
}

export type GraphLine = ReturnType<typeof listGraph>[number];

/** The graph in words: a line a task that depends on something, what is not done first. */
export function listGraph({ nodes, edges }: BoardGraph, most: number) {
  const known = new Map(nodes.map((node) => [node.key, node]));
  const byTask = new Map<string, GraphEdge[]>();
  for (const edge of edges) addTo(byTask, edge.to, edge);
  const lines = [...byTask].flatMap(([key, all]) => {
    const node = known.get(key);
    const needs = all.flatMap(({ from, circle }) => {
      const other = known.get(from);
      return other === undefined ? [] : [{ name: other.name, words: other.words, circle }];
    });
    const done = node?.kind === "done" ? 1 : 0;
    const more = Math.max(0, needs.length - most);
    return node === undefined
      ? []
      : [{ done, line: { name: node.name, words: node.words, needs: needs.slice(0, most), more } }];
  });
  return lines.sort((left, right) => left.done - right.done).map(({ line }) => line);
}

function makeNode(key: string, same: readonly BriefTask[]): GraphNode {
  const [task] = same;
  const name = nameOf({ id: key, folder: "" });
  if (task === undefined) return { key, name, kind: "unknown", words: "unknown task" };
  if (same.length > 1) return { key, name, kind: "person", words: `${same.length} tasks with this id` };
  const kind = task.standing === "done" ? "done" : needsPerson(task) ? "person" : "open";
  return { key, name, kind, words: renderStanding(task) };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The number of each task's circle (Kosaraju); a task without one has a number to itself. */
function findCircles(keys: readonly string[], needsOf: (key: string) => Iterable<string>): Map<string, number> {
  const neededBy = new Map<string, string[]>(keys.map((key) => [key, []]));
  for (const key of keys) for (const need of needsOf(key)) neededBy.get(need)?.push(key);
  const seen = new Set<string>();
  const finished = keys.flatMap((key) => walk(key, needsOf, seen));
  const taken = new Set<string>();
  const circles = finished.reverse().map((key) => walk(key, (at) => neededBy.get(at) ?? [], taken));
  return new Map(circles.flatMap((circle, index) => circle.map((key) => [key, index] as const)));
}

/** Unseen reachable tasks in the order in which the walk leaves them; not recursive, because a chain may be long. */
function walk(start: string, nextOf: (key: string) => Iterable<string>, seen: Set<string>): string[] {
  if (seen.has(start)) return [];
  seen.add(start);
  const left: string[] = [];
  const open = [{ key: start, next: nextOf(start)[Symbol.iterator]() }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.next.next();
    if (next.done === true) {
      left.push(top.key);
      open.pop();
    } else if (!seen.has(next.value)) {
      seen.add(next.value);
      open.push({ key: next.value, next: nextOf(next.value)[Symbol.iterator]() });
    }
  }
  return left;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { mermaidGraph } from "../../../lib/pages/board/board-markdown.ts";
import { drawGraph, listGraph, openGraph } from "../../../lib/pages/board/graph.ts";
import { hostileTexts } from "../../documents/templates/hostile.ts";
import { boardTask, done, manyTasks, sampleTasks } from "./sample-board.ts";

const graph = drawGraph(sampleTasks);

test("the graph holds tasks with dependencies, and marks circles and unknown tasks", () => {
  assert.deepEqual(
    graph.nodes.map(({ key, kind, words }) => `${key} ${kind}: ${words}`),
    [
      "T-1 done: done",
      "T-11 open: running",
      "T-2 open: ready",
      "T-3 person: asks",
      "T-4 open: waits",
      "T-5 person: cannot continue",
      "T-7 person: cannot continue",
      "T-8 person: cannot continue",
      "T-99 unknown: unknown task",
    ],
  );
  assert.deepEqual(
    graph.edges.filter(({ circle }) => circle).map(({ from, to }) => `${from} ${to}`),
    ["T-8 T-7", "T-7 T-8"],
  );
});

test("a task that needs itself is a circle, and two tasks with one id are marked as such", () => {
  const { nodes, edges } = drawGraph([
    boardTask("A", { dependsOn: ["A"] }),
    boardTask("B", { dependsOn: ["A"] }),
    boardTask("B", { folder: "other" }),
  ]);
  assert.deepEqual(edges, [
    { from: "A", to: "A", circle: true },
    { from: "A", to: "B", circle: false },
  ]);
  assert.deepEqual(
    nodes.map(({ words }) => words),
    ["ready", "2 tasks with this id"],
  );
});

test("a removed task that a done task needed is left out", () => {
  assert.deepEqual(drawGraph([done("A", { dependsOn: ["gone"] })]), { nodes: [], edges: [] });
});

test("tasks before and behind a circle are no part of it, also in a chain of 20,000", () => {
  const needs: Record<string, string[]> = { a: ["b"], b: ["c"], c: ["b", "d"], d: [] };
  const circles = (tasks: Record<string, string[]>) =>
    drawGraph(Object.entries(tasks).map(([id, dependsOn]) => boardTask(id, { dependsOn })))
      .edges.filter(({ circle }) => circle)
      .map(({ from, to }) => `${from} ${to}`);
  assert.deepEqual(circles(needs), ["c b", "b c"]);
  const chain = Array.from(
    { length: 20_000 },
    (_, index) => [`${index}`, index === 0 ? [] : [`${index - 1}`]] as const,
  );
  assert.deepEqual(circles(Object.fromEntries(chain.map(([id, ids]) => [id, [...ids]]))), []);
});

test("in words there is a line a task, what is done last, and a long list is counted", () => {
  const tasks = [done("A", { dependsOn: ["B"] }), done("B"), boardTask("C", { dependsOn: ["A", "B", "X"] })];
  assert.deepEqual(listGraph(drawGraph(tasks), 2), [
    {
      name: "C",
      words: "ready",
      needs: [
        { name: "A", words: "done", circle: false },
        { name: "B", words: "done", circle: false },
      ],
      more: 1,
    },
    { name: "A", words: "done", needs: [{ name: "B", words: "done", circle: false }], more: 0 },
  ]);
});

test("the open graph leaves out what is done and what then stands alone", () => {
  const open = openGraph(graph);
  assert.deepEqual(
    [open.nodes.map(({ key }) => key), open.edges.length],
    [["T-11", "T-2", "T-3", "T-4", "T-5", "T-7", "T-8", "T-99"], 7],
  );
});

test("the diagram has names of its own, and no id can leave its label", () => {
  assert.deepEqual(mermaidGraph(graph)?.text.split("\n").slice(0, 4), [
    "flowchart LR",
    '  n0["T-1: done"]',
    '  n1["T-11: running"]',
    '  n2["T-2: ready"]',
  ]);
  for (const hostile of [...hostileTexts, '"]\n  click n0 "javascript:alert(1)"', "end", "%%{init: {}}%%"]) {
    const text = mermaidGraph(drawGraph([boardTask("A", { dependsOn: [hostile] })]))?.text ?? "";
    for (const line of text.split("\n")) {
      assert.match(
        line,
        /^(flowchart LR| {2}n\d+\["[\p{L}\p{N} :#;-]*"\]| {2}n\d+ (-->|-\. circle \.->) n\d+| {2}class(Def)? [a-z0-9#:,\- ]+)$/u,
        hostile,
      );
    }
  }
});

test("a diagram too long for a host shows the open tasks alone, and where they are too many there is none", () => {
  const long = manyTasks(60, true, (index) => (index < 50 ? { standing: "done" } : {}));
  const drawn = mermaidGraph(drawGraph(long));
  assert.deepEqual(
    [drawn?.openOnly, drawn?.text.includes('"T-59: ready"'), drawn?.text.includes("done")],
    [true, true, true],
  );
  assert.equal(drawn?.text.includes(': done"'), false);
  assert.ok((drawn?.text.length ?? 9999) < 2000);
  assert.equal(mermaidGraph(drawGraph(manyTasks(100, true))), null);
  const half = manyTasks(200, true, (index) => (index < 100 ? { standing: "done" } : {}));
  assert.equal(mermaidGraph(drawGraph(half)), null);
  assert.equal(mermaidGraph(graph)?.openOnly, false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { firstTasks, groupRows, limitRows } from "../../../lib/pages/board/groups.ts";
import type { BriefTask } from "../../../lib/pages/board/input.ts";
import { makeRow } from "../../../lib/pages/board/rows.ts";
import { asking, boardTask, done, manyTasks, sampleBoard } from "./sample-board.ts";

test("only the tasks of the rows that a board shows are asked for as a whole, and they are the first of each group", () => {
  const tasks = [...manyTasks(5, false), done("D-1"), asking("A-1"), done("D-2")].reverse();
  for (const most of [0, 1, 3, 6, 7, 100]) {
    const first = firstTasks(tasks, most);
    const asked: string[] = [];
    const rowOf = (task: BriefTask) => {
      asked.push(task.folder);
      return makeRow(
        first.find((known) => known === task) ?? assert.fail(`${task.folder} is not among the first ${most}`),
      );
    };
    const rows = groupRows({ tasks, rowOf }, most).flatMap((group) => group.rows);
    assert.deepEqual([rows.length, asked], [Math.min(most, 8), first.map(({ folder }) => folder)]);
  }
  assert.deepEqual(
    firstTasks(tasks, 3).map(({ folder }) => folder),
    ["A-1-work", "T-0-work", "T-1-work"],
  );
});

test("tasks that need a person come first, then those that go on, wait, are paused and are done", () => {
  assert.deepEqual(
    groupRows(sampleBoard()).map(({ key, rows }) => [key, rows.map(({ name }) => name)]),
    [
      ["person", ["T-3", "T-6", "T-9-broken", "T-5", "T-7", "T-8"]],
      ["next", ["T-11", "T-2"]],
      ["waiting", ["T-4"]],
      ["paused", ["T-10"]],
      ["done", ["T-1"]],
    ],
  );
});

test("in one group what has waited longest comes first, of the done the newest, and folders decide between equals", () => {
  const on = (id: string, day: number) => ({ id, movedAt: `2026-11-0${day}T00:00:00.000Z` });
  const names = (tasks: readonly ReturnType<typeof boardTask>[]) =>
    groupRows(sampleBoard({ tasks })).flatMap(({ rows }) => rows.map(({ name }) => name));
  const waiting = [on("B", 2), on("C", 1), on("A", 2)];
  assert.deepEqual(names(waiting.map(({ id, movedAt }) => asking(id, { movedAt }))), ["C", "A", "B"]);
  assert.deepEqual(names(waiting.map(({ id, movedAt }) => done(id, { movedAt }))), ["A", "B", "C"]);
});

test("rows are shown for as long as they fit, and what is left out is counted in its group", () => {
  const groups = groupRows(sampleBoard({ tasks: [...manyTasks(5, false), done("D-1"), done("D-2")] }));
  for (const rows of [0, 1, 4, 6, 7, 400]) {
    const limits = { rows, bytes: 100_000 };
    const few = groupRows(sampleBoard({ tasks: [...manyTasks(5, false), done("D-1"), done("D-2")] }), rows);
    assert.equal(
      few.reduce((sum, group) => sum + group.rows.length, 0),
      Math.min(rows, 7),
    );
    assert.deepEqual(limitRows(few, limits), limitRows(groups, limits));
  }
  const shown = (limits: Parameters<typeof limitRows>[1]) =>
    limitRows(groups, limits).map(({ key, rows, more }) => [key, rows.length, more]);
  assert.deepEqual(shown({ rows: 6, bytes: 1e6 }), [
    ["next", 5, 0],
    ["done", 1, 1],
  ]);
  assert.deepEqual(shown({ rows: 100, bytes: 1_000 }), [
    ["next", 3, 2],
    ["done", 0, 2],
  ]);
});

test("a done task without proof is apart, and one that a person cancelled is among the paused", () => {
  const tasks = [done("D-1", { tone: "amber" }), boardTask("C-1", { standing: "cancelled", who: "person" })];
  assert.deepEqual(
    groupRows(sampleBoard({ tasks })).map(({ key, rows }) => [key, rows.length]),
    [
      ["paused", 1],
      ["unproven", 1],
    ],
  );
});

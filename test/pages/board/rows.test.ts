import assert from "node:assert/strict";
import { test } from "node:test";
import { firstTasks, groupRows, limitRows } from "../../../lib/pages/board/groups.ts";
import type { BriefTask } from "../../../lib/pages/board/input.ts";
import { readBoardMark } from "../../../lib/pages/board/markdown.ts";
import { makeRow } from "../../../lib/pages/board/rows.ts";
import {
  formatMinute,
  formatSpend,
  formatTokenSum,
  summarise,
  summariseSpend,
} from "../../../lib/pages/board/standings.ts";
import { ask, asking, boardTask, done, manyTasks, sampleBoard, sampleTasks } from "./sample-board.ts";

const rowOf = (task: ReturnType<typeof boardTask>) => groupRows(sampleBoard({ tasks: [task] }))[0]?.rows[0];

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

test("a row says where the task stands, since when, what is needed, what it spent and where its files are", () => {
  const hosted = { href: "https://example.org/o/r/src/branch/main/tasks/T%2D3/EVIDENCE.md", note: "not pushed yet" };
  const editUrl = "https://example.org/o/r/edit/main/tasks/T-3/DECISIONS.md";
  assert.deepEqual(
    rowOf(asking("T-3", { hosted, editUrl, spend: { knownUsd: 1.2, unknownPasses: 2, tokens: 45_210, timeMs: 0 } })),
    {
      name: "T-3",
      title: "Work of T-3",
      tone: "asking",
      stands: "asks",
      phase: "",
      moved: "asks since 2026-11-20 10:00 UTC",
      need: "",
      blockers: "",
      questions: [
        {
          id: "Q1",
          title: "Which encoding?",
          more: [
            "Which encoding does the export have?",
            "Options: UTF-8, Latin-1",
            "Safe default: UTF-8",
            "Until 2026-11-21 19:00 UTC, then its safe default is taken",
          ],
          command: "task-phase answer T-3 Q1 TEXT",
        },
      ],
      moreQuestions: 0,
      problems: [],
      verdict: "pass 3: accepted",
      reason: "",
      passes: "3 passes",
      cost: "1.20 USD, and 2 passes of unknown cost",
      tokens: "45.2k tokens",
      links: {
        state: "T-3-work/STATE.md",
        evidence: "T-3-work/EVIDENCE.md",
        page: "",
        decisions: "T-3-work/DECISIONS.md",
      },
      hosted,
      editor: editUrl,
    },
  );
});

test("a task that cannot be read is named by its folder, with every problem that its reason does not say", () => {
  const row = rowOf(sampleTasks[8] ?? done("none"));
  assert.deepEqual(
    [row?.name, row?.stands, row?.phase, row?.moved, row?.verdict, row?.passes, row?.cost, row?.tokens, row?.problems],
    ["T-9-broken", "cannot be read", "", "", "no pass yet", "no pass yet", "", "", ["the title is missing"]],
  );
});

test("Blockers are shown where something holds the task up that its reason does not say", () => {
  const blockers = (why: string, text: string) => rowOf(boardTask("T-1", { why, blockers: text }))?.blockers;
  assert.deepEqual(
    [
      blockers("a pass comes next", "the key is missing"),
      blockers("the key is missing", "the key is missing "),
      blockers("", "none"),
    ],
    ["the key is missing", "", ""],
  );
});

test("long texts are cut, and of many questions the first five are shown and the others counted", () => {
  const questions = Array.from({ length: 7 }, (_, index) => ({
    ...{ ...ask, id: `Q${index + 1}` },
    ...{ title: "x".repeat(500), question: "q".repeat(900) },
  }));
  const row = rowOf(asking("T-1", { standing: "stuck", title: "t".repeat(500), why: "w".repeat(900), questions }));
  assert.deepEqual(
    [
      ...[row?.title.length, row?.need.length, row?.questions.length, row?.moreQuestions],
      ...[row?.questions[0]?.title.length, row?.questions[0]?.more[0]?.length],
    ],
    [120, 300, 5, 2, 120, 300],
  );
});

test("the summary counts each standing, with the verb for one and for more", () => {
  assert.equal(
    summarise(sampleTasks),
    "11 tasks: 1 asks, 1 blocked, 1 cannot be read, 1 running, 1 ready, 4 wait, 1 paused, 1 done",
  );
  assert.equal(summarise([asking("A"), asking("B")]), "2 tasks: 2 ask");
  assert.equal(summarise([]), "no task");
  assert.equal(summariseSpend(sampleTasks), "27 passes, 9.60 USD, and 3 passes of unknown cost, 12m");
  assert.equal(summariseSpend([]), "");
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

test("times are given to the minute in UTC, and an invalid time is marked", () => {
  assert.deepEqual(["2026-11-20T10:00:59.999Z", "2026-11-20T10:00:59Z", "2026-11-20 10:00", "<b>"].map(formatMinute), [
    "2026-11-20 10:00 UTC",
    "2026-11-20 10:00 UTC",
    "unknown time",
    "unknown time",
  ]);
});

test("an unknown value is never shown as nothing", () => {
  assert.deepEqual(
    [
      formatSpend({ knownUsd: null, unknownPasses: 0 }),
      formatSpend({ knownUsd: null, unknownPasses: 2 }),
      formatSpend({ knownUsd: 0, unknownPasses: 0 }),
      formatSpend({ knownUsd: 1.5, unknownPasses: 1 }),
      formatTokenSum(0, 0),
      formatTokenSum(0, 2),
      formatTokenSum(1, 1),
      formatTokenSum(2_000_000, 1),
    ],
    [
      "nothing spent",
      "cost not known",
      "0.00 USD",
      "1.50 USD, and 1 pass of unknown cost",
      "",
      "tokens not known",
      "1 token",
      "2.0M tokens",
    ],
  );
});

test("only the mark in its first or second line makes a file a board", () => {
  const mark = "<!-- task-phase:board 2026-11-21T18:00:00.000Z -->";
  const at = "2026-11-21T18:00:00.000Z";
  assert.deepEqual(
    [
      ...[`${mark}\n`, `\ufeff${mark}\r\n# Board`, `<!doctype html>\n${mark}\n`, `a\nb\n${mark}\n`],
      ...[`text ${mark}`, "<!-- task-phase:board -->", "", mark.replace("Z", "")],
    ].map(readBoardMark),
    [at, at, at, null, null, null, null, null],
  );
});

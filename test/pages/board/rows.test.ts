import assert from "node:assert/strict";
import { test } from "node:test";
import { readBoardMark } from "../../../lib/pages/board/board-markdown.ts";
import { groupRows } from "../../../lib/pages/board/groups.ts";
import { ask, asking, boardTask, done, sampleBoard, sampleTasks } from "./sample-board.ts";

const rowOf = (task: ReturnType<typeof boardTask>) => groupRows(sampleBoard({ tasks: [task] }))[0]?.rows[0];

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
      cost: "1.20 USD, and 2 calls of unknown cost",
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

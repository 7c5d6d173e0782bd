import assert from "node:assert/strict";
import { test } from "node:test";
import { firstProblems, type Problem } from "../../lib/history/problem.ts";

const remark = (sha: string, severity: Problem["severity"]): Problem => ({
  ...{ sha, severity, task: "T-1", code: "TP_HISTORY_MOVE", text: "moved", file: "T-1/STATE.md" },
  ...{ order: 1, line: 3, move: null, exit: "rejected", fix: null },
});
const many = (count: number, errorAt: number) =>
  Array.from({ length: count }, (_none, index) => remark(`c${index}`, index === errorAt ? "error" : "info"));

test("the first remarks of a task are shown, and the others are counted", () => {
  const few = many(3, 1);
  assert.equal(firstProblems(few), few);
  const shown = firstProblems(many(60, 0));
  const last = shown.at(-1);
  const hidden = 60 - (shown.length - 1);
  assert.deepEqual([last?.code, last?.line, last?.severity], ["TP_HISTORY_MORE", null, "info"]);
  assert.equal(last?.text, `${hidden} more remarks about later commits of this task`);
  assert.match(firstProblems(many(shown.length, 0)).at(-1)?.text ?? "", /^1 more remark about/);
});

test("an error among those that are not shown makes their count an error", () => {
  const last = firstProblems(many(60, 59)).at(-1);
  assert.deepEqual([last?.code, last?.severity, last?.sha], ["TP_HISTORY_MORE", "error", "c59"]);
});

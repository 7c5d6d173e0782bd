import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText, renderLine } from "../../lib/cli/paint.ts";
import { renderDigest, shortenReason } from "../../lib/cli/watch-loop.ts";
import type { RunDigest } from "../../lib/queue/loop/run-report.ts";

const nothing: RunDigest = {
  done: [],
  unproven: [],
  stopped: [],
  left: [],
  cost: "cost not known",
  timeMs: 61_000,
  report: "/w/tasks/.task-phase/runs/r.md",
  evidence: null,
};
const stuck = (name: string, why = "tests fails the same way") =>
  ({
    name,
    standing: "stuck",
    tone: "stopped",
    status: `stuck: ${why}`,
    why,
    act: `task-phase resume ${name} --to verify --reason TEXT`,
  }) as const;
const lines = (digest: Partial<RunDigest>) => renderDigest({ ...nothing, ...digest }, "/w").map(plainText);

test("a quiet run has its cost, its time and its report, and no empty line", () => {
  assert.deepEqual(lines({}), ["this call: cost not known, 1m1s", "report: tasks/.task-phase/runs/r.md"]);
  assert.deepEqual(lines({ report: null, evidence: "/w/tasks/T-1/artifacts/evidence.html" }), [
    "this call: cost not known, 1m1s",
    "evidence: tasks/T-1/artifacts/evidence.html",
  ]);
});

test("tasks done without proof are listed apart from done tasks, each with what it lacks", () => {
  assert.deepEqual(lines({ done: ["T-5", "T-1"], unproven: ["T-4 (no file changed)"] }).slice(0, 2), [
    "done: T-5, T-1",
    "done without proof: T-4 (no file changed)",
  ]);
});

test("each task has one line with its obstacle", () => {
  assert.deepEqual(lines({ done: ["T-1", "T-2"], stopped: [stuck("T-3")], left: ["T-4 in verify"] }).slice(0, 3), [
    "done: T-1, T-2",
    "stopped: T-3 stuck, tests fails the same way",
    "not done: T-4 in verify",
  ]);
  const act = "task-phase resume T-3 --to verify --reason TEXT";
  assert.equal(lines({ stopped: [stuck("T-3")] })[1], `next: ${act}`);
});

test("a night of many tasks takes eight lines, and none without an end", () => {
  const names = Array.from({ length: 40 }, (_, index) => `T-${index}`);
  const said = lines({
    done: names,
    stopped: names.map((name) => stuck(name, "x".repeat(500))),
    left: names.map((name) => `${name} in verify`),
  });
  assert.equal(said.length, 8);
  assert.match(said[0] ?? "", /T-9 and 30 more$/);
  assert.match(said[3] ?? "", /^stopped: T-2, T-3, .*T-11 and 28 more$/);
  for (const line of said) assert.ok(line.length < 220, line);
});

test("three stopped tasks are each named", () => {
  assert.equal(
    lines({ stopped: [stuck("a"), stuck("b"), stuck("c")] }).filter((line) => / stuck, /.test(line)).length,
    3,
  );
});

test("a reason leaves out why a task is stopped only if a line below says it", () => {
  const reason = "nothing is runnable; T-2 is stuck: tests fails the same way; and T-3 could run";
  const shown = (...stopped: string[]) =>
    shortenReason(reason, { ...nothing, stopped: stopped.map((name) => stuck(name)) });
  assert.equal(shown("T-1", "T-2"), "nothing is runnable; T-2 is stuck; and T-3 could run");
  for (const stopped of [[], ["T-1"], ["a", "b", "c", "T-2"]]) assert.equal(shown(...stopped), reason);
  assert.equal(shortenReason(reason, null), reason);
});

test("done is green, and a stop has the colour of its standing", () => {
  const [done = "", stopped = ""] = renderDigest({ ...nothing, done: ["T-1"], stopped: [stuck("T-2")] }, "/w");
  assert.match(renderLine(done, true).replaceAll("\u001b", "ESC"), /^ESC\[32mdoneESC\[39m: T-1$/);
  assert.match(
    renderLine(stopped, true).replaceAll("\u001b", "ESC"),
    /^ESC\[31mstoppedESC\[39m: T-2 ESC\[31mstuckESC\[39m,/,
  );
});

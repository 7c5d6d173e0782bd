import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alignColumns, type Line, paint, plainText, renderLine, verdictStyles } from "../../lib/cli/paint.ts";
import { verdicts } from "../../lib/rules/words.ts";

import { makeLoopWorld } from "./loop-world.ts";

const esc = "\u001b";
/** The text with ESC in the place of what starts a style. */
const seen = (text: string) => text.replaceAll(esc, "ESC");

test("a line is its pieces, each in its own colour, or all of them without", () => {
  const line: Line = ["pass 1  ", paint("good", "accepted"), "  a.js changed"];
  assert.equal(renderLine(line, false), "pass 1  accepted  a.js changed");
  assert.equal(renderLine(line, true), `pass 1  ${esc}[32maccepted${esc}[39m  a.js changed`);
  assert.equal(plainText(line), "pass 1  accepted  a.js changed");
});

test("a piece with a style cannot bring styles of its own", () => {
  assert.equal(renderLine([paint("bad", `x${esc}[0m`)], true), `${esc}[31mx\\x1b[0m${esc}[39m`);
});

test("each verdict has the colour that a person expects", () => {
  const colours = verdicts.map((verdict) => renderLine([paint(verdictStyles[verdict], verdict)], true));
  assert.deepEqual(
    colours.map((text) => Number(text.slice(2, 4))),
    [32, 33, 31, 33, 33, 33],
  );
});

describe("the colours of a call", () => {
  test("are in its lines with FORCE_COLOR, and nowhere in JSON or in a file", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { plan: ["honest", "idle"], contract: ["retries_per_failure: 0"] } });
    const env = { FORCE_COLOR: "1" };
    const run = await world.call("task-phase-run", ["--task-dir", world.path("tasks/T-1")], { env });
    assert.match(seen(run.stderr), /intake → shape {2}ESC\[32macceptedESC\[39m {2}Objective changed\n/);
    const loop = await world.call("task-phase-loop", ["--tasks-root", world.tasks, "--json"], { env });
    assert.match(seen(loop.stderr), /ESC\[1mT-1ESC\[22m {2}pass 2 .*ESC\[33mno_progressESC\[39m/);
    assert.match(seen(loop.stderr), /\nESC\[1mstopped after 1 passESC\[22m: /);
    const status = await world.call("task-phase", ["status", "--tasks-root", world.tasks], { env });
    assert.match(seen(status.stdout), /^T-1 {2}blocked {2}ESC\[31mstuckESC\[39m {2}no material progress/);
    assert.doesNotMatch(seen(loop.stdout), /ESC|u001b/);
    const files = ["log.txt", "progress.txt", "STATE.md", "EVIDENCE.md", "artifacts/journal.jsonl"];
    for (const file of files) assert.doesNotMatch(seen(world.read(`tasks/T-1/${file}`)), /ESC|u001b/, file);
  });

  test("are nowhere without a terminal, and nowhere with --no-color", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const args = ["--task-dir", world.path("tasks/T-1")];
    const piped = await world.call("task-phase-run", args);
    const flag = await world.call("task-phase-run", [...args, "--no-color"], { env: { FORCE_COLOR: "1" } });
    for (const { stdout, stderr } of [piped, flag]) {
      assert.match(stderr, /accepted {2}/);
      assert.doesNotMatch(seen(stdout + stderr), /ESC/);
    }
  });
});

test("columns are as wide as their widest cell, and no line ends in spaces", () => {
  assert.deepEqual(alignColumns([["a", "bb", "c"], ["äöü", "b", ""], ["one"]]), ["a    bb  c", "äöü  b", "one"]);
  assert.deepEqual(alignColumns([]), []);
});

test("the last cell of a short row does not widen its column for others", () => {
  assert.deepEqual(alignColumns([["a", "b"], ["a very long last cell"]]), [
    "a                      b",
    "a very long last cell",
  ]);
});

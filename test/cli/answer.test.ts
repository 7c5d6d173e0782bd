import assert from "node:assert/strict";
import { test } from "node:test";
import { tryLock } from "../../lib/store/lock.ts";
import { decisionsFile, fieldOf, openQuestion } from "./task-states.ts";
import { makeTaskWorld } from "./task-world.ts";

test("an answer goes into DECISIONS.md, every other byte stays, and the next pass goes on", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("case", "shape", { files: { "DECISIONS.md": openQuestion } });
  assert.equal((await task.pass()).exit_code, 22);
  const end = await world.call("task-phase", ["answer", "T-1", "q1", "UTF-8, no BOM"], { cwd: "cases/case" });
  assert.equal(end.code, 0, end.stderr);
  assert.match(end.stderr, /^answered Q1: .*\nthe next run continues$/m);
  assert.equal(task.read("DECISIONS.md"), decisionsFile("UTF-8, no BOM"));
  task.propose({ output: "nothing\n" });
  assert.equal((await task.pass()).exit_code, 23, "a model was called");
  assert.equal(fieldOf(task.state(), "Phase"), "shape");
});

test("the only task need not be named", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("case", "shape", { files: { "DECISIONS.md": openQuestion } });
  const end = await world.call("task-phase", ["answer", "Q1", "yes", "--json"], { cwd: "cases/case" });
  assert.deepEqual([end.code, end.json().question, end.json().open], [0, "Q1", []]);
  assert.equal(task.read("DECISIONS.md"), decisionsFile("yes"));
});

test("an answer that cannot be given is refused, and nothing is written", async (t) => {
  const world = makeTaskWorld(t);
  const answered = decisionsFile("UTF-8");
  const task = await world.taskAt("case", "shape", { files: { "DECISIONS.md": answered } });
  const say = async (...words: string[]) => {
    const end = await task.command("answer", ...words);
    assert.equal(task.read("DECISIONS.md"), answered);
    return [end.code, end.stderr.split("\n")[0]?.replace(/^.*?error: /, "")];
  };
  assert.deepEqual(await say("Q1", "no"), [20, "Q1 has an answer: UTF-8; no question is open [TP_ANSWER_QUESTION]"]);
  assert.deepEqual(await say("Q2", "no"), [64, "there is no question Q2; no question is open [TP_ANSWER_QUESTION]"]);
  assert.deepEqual(await say("Q1"), [64, "the answer is missing [TP_USAGE_ANSWER]"]);
  assert.deepEqual(await say("Q1", " \n"), [64, "the answer is empty [TP_USAGE_ANSWER]"]);
  assert.deepEqual((await say("Q1", "two", "words"))[0], 64);
});

test("while a pass runs it is refused, and a pass cannot answer itself", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("case", "shape", { files: { "DECISIONS.md": openQuestion } });
  await task.pass("--dry-run");
  assert.equal((await task.pass()).exit_code, 22);
  const lock = tryLock(world.path("cases/case/tasks/.task-phase/locks/T-1.lock"));
  assert(lock !== null);
  const busy = await task.command("answer", "Q1", "yes");
  lock.release();
  assert.deepEqual([busy.code, task.read("DECISIONS.md")], [75, openQuestion]);
  const inside = await world.call("task-phase", ["answer", "T-1", "Q1", "yes"], { env: { TASK_PHASE_PASS: "2" } });
  assert.equal(inside.code, 64);
});

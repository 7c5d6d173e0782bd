import assert from "node:assert/strict";
import { test } from "node:test";
import { stateFile } from "./task-states.ts";
import { makeCases, makeTaskWorld, type Report, type TaskCase, validator } from "./task-world.ts";

test("a person approves the frame before anything is built", { concurrency: 2 }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const ends = ({ verdict, to, exit_code }: Report) => [verdict, to, exit_code];
  const inShape = (folder: string) => world.taskAt(folder, "shape", { contract: [validator, "approve: [shape]"] });
  const proposes = (task: TaskCase, fields = {}) =>
    task.propose({ task: { "STATE.md": stateFile({ phase: "implement", fields }) } });
  const answer = (task: TaskCase, text: string) =>
    task.write("DECISIONS.md", task.read("DECISIONS.md").replace(/- Answer:.*\s*$/, `- Answer: ${text}\n`));

  it("is asked with the frame in STATE.md, and `approve` lets the next pass go on", async (folder) => {
    const task = await inShape(folder);
    proposes(task, { Objective: "Round half up" });
    const asked = await task.pass();
    assert.deepEqual(ends(asked), ["accepted", "needs_user_decision", 22], asked.reason);
    assert.match(task.state(), /^- Objective: Round half up$/m);
    assert.match(task.read("DECISIONS.md"), /## Q1: Is this the right frame\?/);
    assert.equal((await task.run()).code, 22);
    assert.equal(task.calls(), 1);
    answer(task, "approve");
    const goesOn = await task.pass();
    assert.deepEqual(ends(goesOn), ["accepted", "implement", 0], goesOn.reason);
    assert.equal((await task.command("check")).code, 0);
    assert.match(task.read("EVIDENCE.md"), /Frame approved/);
  });

  it("costs no model call once it is answered: the next call works on it at once", async (folder) => {
    const task = await world.taskAt(folder, "shape", { contract: [validator, "approve: [shape]", "advance: auto"] });
    proposes(task, { Objective: "Round half up" });
    await task.pass();
    assert.equal((await task.command("answer", "Q1", "yes: looks good to me")).code, 0);
    task.propose({ task: { "STATE.md": stateFile({ phase: "implement", fields: { "Next step": "go on" } }) } });
    const goesOn = await task.pass();
    assert.deepEqual([goesOn.from, goesOn.to, task.calls()], ["implement", "implement", 2], goesOn.reason);
    assert.match(task.read("log.txt"), /shape → implement: no model needed/);
    assert.equal((await task.command("check")).code, 0);
  });

  it("is asked again for another frame, and a no is what to change", async (folder) => {
    const task = await inShape(folder);
    proposes(task);
    await task.pass();
    answer(task, "approve it once Latin-1 is out");
    const unclear = await task.pass();
    assert.deepEqual([unclear.verdict, unclear.exit_code, task.calls()], [null, 22, 1], unclear.reason);
    assert.match(unclear.reason, /is neither yes nor no, write `approve` or `no: what to change`/);
    answer(task, "no: leave Latin-1 out");
    const same = await task.pass();
    assert.deepEqual(ends(same), ["rejected", "shape", 20], same.reason);
    assert.match(same.reason, /no: leave Latin-1 out/);
    proposes(task, { "Not doing": "Latin-1" });
    assert.deepEqual(ends(await task.pass()), ["accepted", "needs_user_decision", 22]);
    assert.match(task.read("DECISIONS.md"), /## Q2: Is this the right frame\?/);
    answer(task, "Approved, go on");
    assert.deepEqual(ends(await task.pass()), ["accepted", "implement", 0]);
    assert.equal((await task.command("check")).code, 0);
  });

  await Promise.all(cases);
});

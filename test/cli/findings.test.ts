import assert from "node:assert/strict";
import { test } from "node:test";
import { stateFile } from "./task-states.ts";
import { makeTaskWorld } from "./task-world.ts";
import { arrange, propose } from "./transition-case.ts";

const defect = "the total is wrong for negative numbers (add.mjs:1)";

test("a defect that a pass lists is shown to the person and holds back review until it is ticked", async (t) => {
  const world = makeTaskWorld(t);
  const task = await arrange(world, "defect", "implement");
  task.propose(propose("implement", "verify", { findings: [defect] }));
  assert.equal((await task.pass()).exit_code, 0);
  assert.match(
    task.read("EVIDENCE.md"),
    /\*\*\[Open finding\]\(STATE\.md\)\*\*: the total is wrong for negative numbers/,
  );
  assert.match(task.read("artifacts/evidence.html"), /Open finding[\s\S]*the total is wrong for negative numbers/);

  task.propose(propose("verify", "review", { findings: [defect] }));
  const held = await task.pass();
  assert.deepEqual([held.exit_code, held.verdict, held.to], [20, "rejected", "verify"]);
  assert.match(held.reason, /^of the items under Findings 1 is open: the total is wrong/);

  task.propose(propose("verify", "review", { findings: [`[x] ${defect}: fixed, seen with -1`] }));
  assert.equal((await task.pass()).to, "review");
  assert.doesNotMatch(task.read("EVIDENCE.md"), /Open finding/);
});

test("each open finding becomes a ticket of the repair, whichever pass listed it", async (t) => {
  const world = makeTaskWorld(t);
  const task = await arrange(world, "tickets", "verify", { before: { findings: [defect] } });
  task.propose(propose("verify", "repair", { findings: [defect, "no test"] }));
  const { to, tickets } = await task.pass();
  assert.deepEqual([to, tickets.map(({ text }) => text)], ["repair", [defect, "no test"]]);
});

test("a finding that is moved to Notes with a reason no longer blocks", async (t) => {
  const world = makeTaskWorld(t);
  const task = await arrange(world, "noted", "verify", { before: { findings: [defect] } });
  const noted = `${stateFile({ phase: "review" }).trimEnd()}\n\n- ${defect}: no defect, the brief wants it so\n`;
  task.propose({ task: { "STATE.md": noted } });
  assert.equal((await task.pass()).to, "review");
});

test("no pass gets rid of a defect without a word: noted bare, hidden below a tick, or dropped by a repair", async (t) => {
  const world = makeTaskWorld(t);
  const result = { "Current result": "nothing new" };
  const gone = { task: { "STATE.md": stateFile({ phase: "review", fields: result }) } };
  const bare = { task: { "STATE.md": `${gone.task["STATE.md"].trimEnd()}\n\n- ${defect}\n` } };
  const below = propose("verify", "review", { findings: [`[x] fixed\n  - [ ] ${defect}`] });
  for (const [name, proposal] of Object.entries({ gone, bare, below })) {
    const task = await arrange(world, name, "verify", { before: { findings: [defect] } });
    task.propose(proposal);
    const { exit_code, reason } = await task.pass();
    assert.deepEqual([exit_code, reason.includes("the total is wrong")], [20, true], name);
  }
  const task = await arrange(world, "repair", "repair", { before: { findings: [defect], fields: result } });
  task.propose({ task: { "STATE.md": stateFile({ phase: "verify", fields: result }) } });
  assert.match((await task.pass()).reason, /^a finding that was open is gone .* Current result/);
  task.propose({ task: { "STATE.md": stateFile({ phase: "verify", fields: { "Current result": "-1 is added" } }) } });
  assert.equal((await task.pass()).to, "verify");
});

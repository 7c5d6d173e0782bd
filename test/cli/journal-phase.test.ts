import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { at, eventsAt, stateFile } from "./task-states.ts";
import { journalFile, makeTaskWorld } from "./task-world.ts";

test("a journal whose last STATE.md contradicts its events is refused, and no command calls it done", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", { state: { phase: "shape" }, events: (place) => eventsAt("shape", place) });
  const forged = stateFile({ phase: "done" });
  const lines: readonly TaskEvent[] = [
    { type: "relinked", at, state: forged },
    { type: "brief_changed", at, was: "a", contract_sha256: "b", keys: null, state: forged },
  ];
  const honest = task.events();
  for (const line of lines) {
    task.write("artifacts/journal.jsonl", journalFile([...honest, line]));
    task.write("STATE.md", forged);
    for (const word of ["check", "evidence"]) {
      const end = await task.command(word);
      assert.equal(end.code, 65, `${word} after ${line.type}: ${end.stderr}`);
      assert.match(end.stderr, /says done, but the events end in shape .*TP_JOURNAL_PHASE/);
    }
    assert.equal((await task.run()).code, 65);
    assert.equal(task.calls(), 0);
  }
});

test("`check` takes no `done` that another event than an accepted verdict brought", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("two", { state: { phase: "shape" }, events: (place) => eventsAt("shape", place) });
  const state = stateFile({ phase: "done" });
  const edited = { type: "state_edited", at, from: "shape", to: "done", state } as const;
  const line: TaskEvent = { ...edited, reopened: false, tickets: [], overridden: [], features: [] };
  task.write("artifacts/journal.jsonl", journalFile([...task.events(), line]));
  task.write("STATE.md", state);
  const end = await task.command("check");
  assert.equal(end.code, 20, end.stderr);
  assert.match(end.stderr, /no accepted verdict sets it .*TP_DONE_UNPROVEN/);
});

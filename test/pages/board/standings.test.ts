import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatMinute,
  formatSpend,
  formatTokenSum,
  nameOf,
  needsPerson,
  renderStanding,
  summarise,
  summariseSpend,
} from "../../../lib/pages/board/standings.ts";
import { asking, boardTask, sampleTasks } from "./sample-board.ts";

test("the summary counts each standing, with the verb for one and for more", () => {
  assert.equal(
    summarise(sampleTasks),
    "11 tasks: 1 asks, 1 blocked, 1 cannot be read, 1 running, 1 ready, 4 wait, 1 paused, 1 done",
  );
  assert.equal(summarise([asking("A"), asking("B")]), "2 tasks: 2 ask");
  assert.equal(summarise([]), "no task");
  assert.equal(summariseSpend(sampleTasks), "27 passes, 9.60 USD, and 3 calls of unknown cost, 12m");
  assert.equal(summariseSpend([]), "");
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
      "1.50 USD, and 1 call of unknown cost",
      "",
      "tokens not known",
      "1 token",
      "2.0M tokens",
    ],
  );
});

test("a task that waits for something impossible cannot continue, and needs a person", () => {
  const impossible = boardTask("T-1", { standing: "waits", who: "person" });
  assert.deepEqual([renderStanding(impossible), needsPerson(impossible)], ["cannot continue", true]);
  const waits = boardTask("T-1", { standing: "waits", who: "tasks" });
  assert.deepEqual([renderStanding(waits), needsPerson(waits)], ["waits", false]);
  for (const standing of ["paused", "cancelled", "done"] as const)
    assert.equal(needsPerson({ standing, who: "person" }), false, standing);
});

test("a task is named by its id, else by its folder, in a form that can be seen", () => {
  assert.deepEqual(
    [nameOf({ id: "T-1", folder: "a" }), nameOf({ id: null, folder: "a" }), nameOf({ id: "", folder: "a" })],
    ["T-1", "a", "a task without a name"],
  );
});

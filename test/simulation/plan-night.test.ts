import assert from "node:assert/strict";
import { test } from "node:test";
import { fates } from "./fates.ts";
import { planNight } from "./plan-night.ts";

test("the same seed gives the same plan, and another one another", () => {
  assert.deepEqual(planNight(1, 50), planNight(1, 50));
  assert.notDeepEqual(planNight(1, 50).tasks, planNight(2, 50).tasks);
});

test("a night of 200 tasks has every fate, and each task needs only such as come before it", () => {
  const { tasks } = planNight(1, 200);
  assert.deepEqual([...new Set(tasks.map(({ fate }) => fate))].sort(), Object.keys(fates).sort());
  const known = new Set<string>();
  for (const { id, dependsOn } of tasks) {
    assert.deepEqual(
      dependsOn.filter((other) => !known.has(other)),
      [],
    );
    known.add(id);
  }
  assert(tasks.some(({ end }) => end === "waiting"));
});

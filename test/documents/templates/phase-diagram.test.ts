import assert from "node:assert/strict";
import { test } from "node:test";
import { phaseDiagram } from "../../../lib/documents/templates/phase-diagram.ts";
import { phaseNames, phases } from "../../../lib/rules/phases.ts";

test("every transition of the table is drawn, and no other", () => {
  const drawn = [...phaseDiagram(null).matchAll(/^ {2}(\w+) --> (\w+)$/gm)].map(([, from, to]) => [from, to]);
  assert.deepEqual(
    drawn,
    phaseNames.flatMap((from) => phases[from].next.map((to) => [from, to])),
  );
});

test("the present phase is marked by words, and no other is", () => {
  for (const phase of phaseNames) assert.deepEqual(phaseDiagram(phase).match(/\w+ \(now\)/g), [`${phase} (now)`]);
  assert.doesNotMatch(phaseDiagram(null), /now/);
});

test("it stays under what hosts draw without a click", () => {
  for (const phase of phaseNames) assert.ok(phaseDiagram(phase).length < 1500);
});

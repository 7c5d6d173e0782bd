import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isPhase,
  isWorkingPhase,
  mayPropose,
  type Phase,
  phaseNames,
  phases,
  workingPhases,
} from "../../lib/rules/phases.ts";

/** The table of the contract, typed out a second time on purpose. */
const contract: Record<Phase, readonly Phase[]> = {
  intake: ["shape"],
  shape: ["implement", "blocked", "needs_user_decision"],
  implement: ["verify", "blocked", "needs_user_decision"],
  verify: ["review", "repair", "blocked", "needs_user_decision"],
  review: ["done", "repair", "needs_user_decision"],
  repair: ["verify", "blocked", "needs_user_decision"],
  done: [],
  blocked: [],
  needs_user_decision: [],
};

test("the table of phases is that of the contract", () => {
  assert.deepEqual(Object.fromEntries(phaseNames.map((name) => [name, phases[name].next])), contract);
});

test("each row of the table carries the name that it stands under", () => {
  assert.deepEqual(
    Object.values(phases).map((rule) => rule.name),
    phaseNames,
  );
});

test("of all 81 pairs a pass may propose those of the table and staying in a working phase", () => {
  const allowed = phaseNames.flatMap((from) =>
    phaseNames.filter((to) => mayPropose(from, to)).map((to) => `${from} → ${to}`),
  );
  const expected = phaseNames.flatMap((from) =>
    phaseNames
      .filter((to) => contract[from].includes(to) || (from === to && contract[from].length > 0))
      .map((to) => `${from} → ${to}`),
  );
  assert.deepEqual(allowed, expected);
  assert.equal(allowed.length, 23);
});

test("six phases are for work and three are terminal for a model", () => {
  assert.deepEqual(workingPhases, ["intake", "shape", "implement", "verify", "review", "repair"]);
  assert.deepEqual(
    phaseNames.filter((name) => !isWorkingPhase(name)),
    ["done", "blocked", "needs_user_decision"],
  );
});

test("a change of the code counts in three phases, and in no other", () => {
  assert.deepEqual(
    phaseNames.filter((name) => phases[name].changesCode),
    ["implement", "verify", "repair"],
  );
});

test("a working phase says what is allowed and forbidden in it, and every phase what it means", () => {
  const silent = phaseNames.filter((name) => {
    const { meaning, out, allowed, forbidden } = phases[name];
    return meaning === "" || out === "" || (isWorkingPhase(name) && (allowed.length === 0 || forbidden.length === 0));
  });
  assert.deepEqual(silent, []);
});

test("only the nine words name a phase, spelled exactly so", () => {
  assert.deepEqual(["review", "Review", " review", "toString", "__proto__", ""].map(isPhase), [
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

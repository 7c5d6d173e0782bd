import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type FieldKey,
  fieldWords,
  isFilled,
  isNoneOrEmpty,
  isUnblocked,
  stateFields,
} from "../../lib/rules/state-view.ts";

test("STATE.md has the seventeen fields of the contract in the order of a new file", () => {
  assert.deepEqual(
    stateFields.map((field) => field.label),
    [
      "Phase",
      "Status",
      "Next step",
      "Blockers",
      "Objective",
      "Done gate",
      "Not doing",
      "Reality constraints",
      "Validation plan",
      "Current result",
      "Evidence location",
      "Evidence link",
      "Candidate done",
      "Validator status",
      "Repair applied",
      "Revalidation status",
      "Last updated",
    ],
  );
});

test("the runner owns five fields and nothing else", () => {
  assert.deepEqual(
    stateFields.filter((field) => field.owner === "runner").map((field) => field.label),
    ["Evidence link", "Validator status", "Repair applied", "Revalidation status", "Last updated"],
  );
});

test("the closed sets are those of the contract", () => {
  assert.deepEqual(fieldWords, {
    candidate_done: ["yes", "no"],
    validator_status: ["pending", "pass", "fail"],
    repair_applied: ["yes", "no"],
    revalidation_status: ["pending", "pass", "fail"],
  });
});

const placeholders = [
  "",
  "   ",
  "\n",
  "TBD",
  "tbd",
  "Tbd.",
  "todo",
  "TODO",
  "?",
  "-",
  "**TBD**",
  "`todo`",
  "_?_",
  "...",
  "~~TBD~~",
  "<!-- say what is wanted -->",
  "<!-- one\nand two --> TBD",
  "\u200b",
  "\ufeff \u2060TBD\u00ad",
];
for (const value of placeholders) {
  test(`${JSON.stringify(value)} fills no field`, () => {
    assert.deepEqual(
      stateFields.map(({ key }) => isFilled(key, value)),
      stateFields.map(() => false),
    );
  });
}

for (const value of ["none", "None", "NONE", "none.", "**none**"]) {
  test(`${JSON.stringify(value)} fills Not doing and Reality constraints, and no other`, () => {
    assert.deepEqual(
      stateFields.filter(({ key }) => isFilled(key, value)).map(({ key }): FieldKey => key),
      ["not_doing", "reality_constraints"],
    );
  });
}

for (const value of ["Stream it", "0", "nonesuch", "todo list works", "- one\n- two", "a?", "n/a"]) {
  test(`${JSON.stringify(value)} fills any field`, () => {
    assert.deepEqual(
      stateFields.filter(({ key }) => !isFilled(key, value)),
      [],
    );
  });
}

test("Blockers that are empty, a placeholder or none do not block", () => {
  assert.deepEqual(["", "none", "None.", "-", "TBD", "waiting for the key"].map(isUnblocked), [
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
});

test("for done, Blockers must be none or empty, and a placeholder is neither", () => {
  assert.deepEqual(["", " ", "none", "**None**.", "-", "TBD", "?", "todo", "the key"].map(isNoneOrEmpty), [
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
  assert.equal(isNoneOrEmpty("none <!-- all clear -->\u200b"), true);
});

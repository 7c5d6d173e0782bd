import assert from "node:assert/strict";
import { test } from "node:test";
import { addedFindings } from "../../lib/machine/added-findings.ts";
import { stateAt } from "./arrange.ts";

test("added findings are counted item by item", () => {
  const from = stateAt("verify", {}, { findings: ["a", "b"] });
  assert.deepEqual(addedFindings(from, stateAt("repair", {}, { findings: ["b", "c", "a", "a"] })), ["c", "a"]);
});

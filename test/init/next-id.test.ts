import assert from "node:assert/strict";
import { test } from "node:test";
import { nextId } from "../../lib/init/next-id.ts";

const roots: readonly (readonly [string, readonly string[], string])[] = [
  ["an empty root", [], "T-1"],
  ["ids of other forms", ["stream-csv", "t-3", "T-", "T-1x"], "T-1"],
  ["a gap, which stays", ["T-1", "T-7", "T-3"], "T-8"],
  ["numbers that begin with zeros", ["US-001", "US-009"], "US-010"],
  ["numbers that outgrow their width", ["US-099", "US-998", "US-999"], "US-1000"],
  ["two prefixes", ["A-9", "B-1", "B-2"], "B-3"],
  ["two prefixes as often as each other", ["B-5", "A-9"], "A-10"],
  ["an id that folder and brief both name", ["A-1", "A-1", "B-1", "B-2"], "B-3"],
  ["a number that cannot be counted on", ["T-99999999999999999999", "T-2"], "T-3"],
];

for (const [title, ids, next] of roots) test(`after ${title} comes ${next}`, () => assert.equal(nextId(ids), next));

import assert from "node:assert/strict";
import { test } from "node:test";
import { isOnlyNoted } from "../../lib/rules/only-noted.ts";

test("a journal of notes says nothing new, and one with a claim, a command or a decision does", () => {
  const notes = [{ type: "adopted" }, { type: "pinned" }, { type: "brief_changed" }] as const;
  assert.equal(isOnlyNoted([]), true);
  assert.equal(isOnlyNoted(notes), true);
  for (const type of ["claimed", "controlled", "edit_refused", "escalated", "verdict"] as const)
    assert.equal(isOnlyNoted([...notes, { type }]), false, type);
});

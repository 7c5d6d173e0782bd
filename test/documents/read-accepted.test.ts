import assert from "node:assert/strict";
import { test } from "node:test";
import { readAccepted, readAcceptedPhase } from "../../lib/documents/read-accepted.ts";
import { fieldList, mustRead } from "./arrange.ts";

test("an accepted text is read as STATE.md is, and the one read before it changes nothing", () => {
  const [first, second] = [fieldList(), fieldList({ phase: "verify" })];
  for (const text of [first, first, second, "no fields", second, first])
    assert.deepEqual(readAccepted(text), text === "no fields" ? null : mustRead(text).view);
});

test("the phase of an accepted text is the one that is read, in a plain form and in any other", () => {
  assert.equal(readAcceptedPhase(fieldList({ phase: "repair" })), "repair");
  assert.equal(readAcceptedPhase(fieldList({ phase: "**Needs user decision**" })), "needs_user_decision");
  assert.equal(readAcceptedPhase(fieldList({ phase: "finished" })), null);
  assert.equal(readAcceptedPhase(""), null);
});

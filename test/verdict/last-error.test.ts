import assert from "node:assert/strict";
import { test } from "node:test";
import { untoldError } from "../../lib/verdict/last-error.ts";
import { verdict } from "../evidence/sample-task.ts";

const at = "2026-01-02T03:04:05.000Z";
const told = (verdictWord: string) =>
  `${at} pass 4 ${verdictWord} in verify, 1 in a row\n\nReasons:\n- tests: it failed\n\nModel: it crashed\n\nTickets:\n- validator:tests: not ok\n  Model: no\n`;

test("what the prompt tells above is left out: reasons of a rejected pass, tickets of a redirected one", () => {
  const last = { ...verdict(4), at, from: "verify" } as const;
  assert.equal(
    untoldError(told("rejected"), { ...last, verdict: "rejected" }),
    `${at} pass 4 rejected in verify, 1 in a row\nModel: it crashed`,
  );
  assert.equal(
    untoldError(told("redirected"), { ...last, verdict: "redirected" }),
    `${at} pass 4 redirected in verify, 1 in a row\n\nReasons:\n- tests: it failed\n\nModel: it crashed`,
  );
});

test("a text about another pass, or that a refused start wrote, stays whole", () => {
  const later = { ...verdict(6), at, from: "verify", verdict: "accepted" } as const;
  for (const text of [told("redirected"), `${at} refused: npm was not found\n`, ""]) {
    assert.equal(untoldError(text, later), text);
    assert.equal(untoldError(text, null), text);
  }
});

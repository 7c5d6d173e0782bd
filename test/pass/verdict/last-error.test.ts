import assert from "node:assert/strict";
import { test } from "node:test";
import { renderLastError, untoldError } from "../../../lib/pass/verdict/last-error.ts";
import { verdict } from "../../pages/sample-task.ts";

const at = "2026-01-02T03:04:05.000Z";
const told = (verdictWord: string) =>
  `${at} pass 4 ${verdictWord} in verify, 1 in a row\n\nReasons:\n- tests: it failed\n\nModel: it crashed\n\nTickets:\n- validator:tests: not ok\n  Model: no\n`;

test("reasons of a rejected pass and tickets of a redirected one, which the prompt has already, are left out", () => {
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

test("failures are counted in a row only if no other pass was between them", () => {
  const firstLine = (passes: readonly number[]) =>
    renderLastError({ ...verdict(7), at, from: "verify", verdict: "rejected" }, { signature: "s", count: 3, passes }, {
      model: null,
      note: null,
    } as never).split("\n")[0];
  assert.deepEqual(
    [firstLine([5, 6, 7]), firstLine([1, 4, 7])],
    [`${at} pass 7 rejected in verify, 3 in a row`, `${at} pass 7 rejected in verify, the same 3 times`],
  );
});

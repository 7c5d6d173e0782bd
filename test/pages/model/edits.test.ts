import assert from "node:assert/strict";
import { test } from "node:test";
import { listEdits } from "../../../lib/pages/model/edits.ts";
import { verdict } from "../sample-task.ts";

const at = "2026-11-21T10:00:00Z";
const edited = { type: "state_edited", at, tickets: [], features: [], state: "" } as const;

test("acts of people and stops of the runner are listed in the order of the journal", () => {
  const rows = listEdits([
    { type: "adopted", at, phase: "intake", state: "", contract_sha256: "" },
    { ...edited, from: "verify", to: "verify", reopened: false, overridden: [] },
    { ...edited, from: "blocked", to: "repair", reopened: true, overridden: ["Validator status", "Repair applied"] },
    { type: "edit_refused", at, from: "verify", to: "done", reason: "only the runner sets done", kept: "" },
    { type: "brief_changed", at, was: "a", contract_sha256: "b", keys: null, state: "" },
    { type: "brief_changed", at, was: "0123456789abcdef", contract_sha256: "c", keys: ["budget", "text"], state: "" },
    {
      type: "watch_answered",
      at,
      question: "Q4",
      accepted: true,
      changes: [
        { name: "a.test.js", digest: "1" },
        { name: "b.test.js", digest: "2" },
      ],
      tickets: [],
    },
    { type: "watch_answered", at, question: "Q5", accepted: false, changes: [{ name: "c", digest: "3" }], tickets: [] },
    { type: "resumed", at, from: "done", to: "intake", reason: "a customer asked", state: "" },
    { type: "answered", at, from: "needs_user_decision", to: "shape", questions: ["Q1", "Q2"], state: "" },
    { type: "defaulted", at, from: "shape", to: "shape", questions: [{ id: "Q3", taken: "UTF-8" }], state: "" },
    {
      type: "escalated",
      at,
      from: "implement",
      to: "blocked",
      cause: "stuck",
      blockers: "stuck on tests",
      question: null,
      state: "",
      open_questions: [],
    },
    { type: "relinked", at, state: "" },
    verdict(1),
  ]);
  assert.deepEqual(
    rows.map(({ who, what, move, detail }) => [who, what, move, detail]),
    [
      ["person", "STATE.md edited", "", "accepted"],
      [
        "person",
        "Reopened in STATE.md",
        "blocked → repair",
        "accepted; corrected by the runner: Validator status, Repair applied",
      ],
      ["person", "Edit of STATE.md refused by the runner", "", "only the runner sets done"],
      ["person", "Brief changed", "", "earlier results of the checks no longer count"],
      ["person", "Brief changed", "", "budget, text; earlier results of the checks no longer count"],
      ["person", "Changes of tests or checks accepted", "", "Q4, 2 changes: a.test.js, b.test.js"],
      ["person", "Changes of tests or checks refused", "", "Q5, 1 change: c"],
      ["person", "Reopened", "done → intake", "a customer asked"],
      ["person", "Question answered", "needs_user_decision → shape", "Q1, Q2"],
      ["runner", "Safe default taken", "", "Q3"],
      ["runner", "Stopped by the runner", "implement → blocked", "stuck on tests"],
    ],
  );
  assert.equal(rows[0]?.at, at);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { listReviews } from "../../../lib/pages/model/list-reviews.ts";
import { readHistory } from "../../../lib/rules/add-event.ts";
import { frameOf } from "../../../lib/rules/approval.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import { stateAt } from "../../rules/arrange.ts";
import { reviewed } from "../full-task.ts";
import { verdict } from "../sample-task.ts";

const state = stateAt("shape");
const list = (events: readonly TaskEvent[]) => listReviews(events, readHistory(events), state);
const about = (...events: readonly TaskEvent[]) => list(events).map((row) => `${row.role} ${row.about}`);
const redirected = verdict(7, { from: "review", to: "repair", verdict: "redirected" });

test("each role has one row, that of its newest report, with the blocking findings first", () => {
  const findings = [
    { severity: "note", text: "one" },
    { severity: "blocking", text: "two" },
    { severity: "note", text: "three" },
  ] as const;
  const rows = list([
    reviewed("tests", { problem: "cut off" }),
    reviewed("usability"),
    reviewed("tests", { findings }),
  ]);
  assert.deepEqual(rows[0], {
    role: "tests",
    model: "second",
    phase: "review",
    pass: 7,
    at: "2026-11-21T10:07:10.000Z",
    about: "earlier",
    problem: null,
    findings: [findings[1], findings[0], findings[2]],
    counts: { blocking: 1, major: 0, minor: 0, note: 2 },
    report: "artifacts/passes/0007/reviews/tests.md",
    durationMs: 9000,
    costUsd: 0.05,
    tokens: { input: 900, output: 80 },
  });
  assert.deepEqual(
    rows.map(({ role }) => role),
    ["tests", "usability"],
  );
});

test("a report on the code of the newest verdict is about the current state", () => {
  assert.deepEqual(about(reviewed("tests"), reviewed("security", { fingerprint: "b" }), redirected), [
    "tests present",
    "security earlier",
  ]);
  const moved = verdict(8, { fingerprint: { before: "a", after: "a".repeat(64), present: "moved" } });
  assert.deepEqual(about(reviewed("tests"), redirected, moved), ["tests earlier"]);
});

test("a finding that was blocking before a repair is outdated after it", () => {
  const findings = [{ severity: "blocking", text: "bad" }] as const;
  const repaired = verdict(8, { from: "repair", to: "verify" });
  assert.deepEqual(about(reviewed("tests"), reviewed("security", { findings }), redirected, repaired), [
    "tests present",
    "security earlier",
  ]);
});

test("a report on the frame counts while that frame stands, also while a person is asked", () => {
  const shape = reviewed("tests", { phase: "shape", frame: frameOf(state) });
  const stays = verdict(1, { from: "shape", to: "shape", state: "frame" });
  const asks = verdict(1, { from: "shape", to: "needs_user_decision", state: "frame" });
  assert.deepEqual(about(shape, stays), ["tests present"]);
  assert.deepEqual(about(verdict(0, { to: "shape" }), shape, asks), ["tests present"]);
  assert.deepEqual(about(shape, verdict(1, { from: "shape", to: "implement", state: "frame" })), ["tests earlier"]);
});

test("a change of the brief makes every report before it void", () => {
  const changed = { type: "brief_changed", at: "", was: "", contract_sha256: "", keys: null, state: "" } as const;
  assert.deepEqual(about(reviewed("tests"), reviewed("security"), redirected, changed, reviewed("security")), [
    "tests void",
    "security present",
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { describeStanding } from "../../lib/evidence/standing.ts";
import type { Verdict } from "../../lib/machine/facts.ts";
import { check, events, stateView, verdict } from "./sample-task.ts";

const proven = events.findLast((event) => event.type === "verdict") ?? null;
const blocked = stateView({}, { blockers: "The staging database is down." });

test("done is said only with the verdict that proves it", () => {
  assert.deepEqual(describeStanding("done", proven, null), {
    tone: "amber",
    headline:
      "Done. 3 checks pass; whether they notice this work was not shown: an earlier version of task-phase did not run the checks without the work",
    detail: "The runner itself ran the checks in pass 6, on the repo with fingerprint aaaaaaaaaaaa.",
  });
  const shown = { grade: "shown", passed: 3, failing: ["tests"], reason: null } as const;
  assert.deepEqual(describeStanding("done", proven === null ? null : { ...proven, proof: shown }, null), {
    tone: "good",
    headline: "Done. 3 checks pass; without this work, 1 of them fails",
    detail:
      "The runner itself ran the checks in pass 6, on the repo with fingerprint aaaaaaaaaaaa. Without this work these fail: tests.",
  });
  const unproven = {
    tone: "stopped",
    headline: "Done, but no proof is recorded",
    detail: "The journal holds no accepted verdict that proves it.",
  };
  assert.deepEqual(describeStanding("done", null, null), unproven);
  assert.deepEqual(describeStanding("done", verdict(1, { to: "done" }), null), unproven);
  assert.deepEqual(
    describeStanding("done", verdict(1, { to: "done", verdict: "rejected", checks: proven?.checks ?? null }), null),
    unproven,
  );
});

test("checks that are not required are not counted", () => {
  const checks = {
    fingerprint_before: "a",
    fingerprint_after: "b",
    attempts: 1,
    moved: [],
    results: [check(), check({ required: false, status: "fail" })],
  };
  assert.match(describeStanding("done", verdict(1, { to: "done", checks }), null).headline, /^Done\. 1 check passes; /);
});

test("a stop quotes Blockers, or says where to look", () => {
  assert.deepEqual(describeStanding("blocked", null, blocked), {
    tone: "stopped",
    headline: "Blocked",
    detail: "The staging database is down.",
  });
  assert.match(describeStanding("blocked", null, null).detail, /Blockers in STATE.md/);
  assert.deepEqual(describeStanding("needs_user_decision", null, stateView({}, { blockers: "none" })), {
    tone: "asking",
    headline: "A person must decide",
    detail: "DECISIONS.md holds the question.",
  });
});

test("a task that the runner holds in intake is stopped, and its question is shown as it is", () => {
  const stop = { blockers: "The staging database is down.", question: "May that stand?" };
  assert.deepEqual(describeStanding("intake", verdict(3, { verdict: "no_progress" }), blocked, stop), {
    tone: "stopped",
    headline: "Stopped in intake",
    detail: "The staging database is down.",
  });
  const cleared = stateView({}, { blockers: "none" });
  assert.equal(describeStanding("intake", verdict(3, { verdict: "no_progress" }), cleared, stop).tone, "working");
  assert.equal(describeStanding("needs_user_decision", null, blocked, stop).detail, "May that stand?");
});

test("a working phase is told with the newest verdict", () => {
  const told = (name: Verdict) => {
    const { tone, headline } = describeStanding("verify", verdict(3, { verdict: name }), null);
    return `${tone}: ${headline}`;
  };
  assert.deepEqual((["accepted", "redirected", "rejected", "no_progress", "unavailable"] as const).map(told), [
    "working: In verify",
    "working: In verify: pass 3 was sent to repair",
    "working: In verify: pass 3 was rejected",
    "working: In verify: pass 3 ended as no progress",
    "working: In verify: pass 3 ended as unavailable",
  ]);
  assert.deepEqual(describeStanding(null, null, null), {
    tone: "working",
    headline: "Not started",
    detail: "No pass has run yet.",
  });
});

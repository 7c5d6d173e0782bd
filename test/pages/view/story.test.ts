import assert from "node:assert/strict";
import { test } from "node:test";
import { listPasses } from "../../../lib/pages/model/passes.ts";
import { renderPassStory } from "../../../lib/pages/view/story.ts";
import type { VerdictEvent } from "../../../lib/rules/verdict-event.ts";
import { check, verdict } from "../sample-task.ts";

function told(changes: Partial<VerdictEvent>): string | undefined {
  return listPasses([verdict(4, changes)]).map(renderPassStory)[0];
}

const checks = (...names: readonly string[]) => ({
  fingerprint_before: "a",
  fingerprint_after: "a",
  attempts: 1,
  moved: [],
  results: [check(), ...names.map((name) => check({ name, status: "fail", exit_code: 1 }))],
});
const redirected = { from: "verify", proposed: "review", to: "repair", verdict: "redirected" } as const;

test("a pass that asked for more than its checks show is described as such", () => {
  assert.equal(
    told({ ...redirected, checks: checks("acceptance") }),
    "the agent asked for review; acceptance failed, the task went to repair",
  );
  assert.equal(
    told({ ...redirected, checks: checks("a", "b", "c", "d", "e", "f") }),
    "the agent asked for review; a, b, c, d, e and 1 more failed, the task went to repair",
  );
  assert.equal(
    told({ ...redirected, reason: "a blocking finding is open" }),
    "the agent asked for review; a blocking finding is open, the task went to repair",
  );
});

test("a move that the runner tried without a model is laid at no agent's door", () => {
  const reason = "a fresh copy does not pass";
  assert.equal(
    told({ ...redirected, model: null, reason }),
    "the runner tried review; a fresh copy does not pass, the task went to repair",
  );
  assert.equal(
    told({ from: "verify", proposed: "review", verdict: "rejected", model: null, reason }),
    "the runner tried review; rejected: a fresh copy does not pass",
  );
});

test("an accepted pass says what it made, and the last one what done rests on", () => {
  const moved = { from: "implement", proposed: "verify", to: "verify", reason: "implement → verify" } as const;
  assert.equal(
    told({ ...moved, made: ["2 files changed", "artifacts/a.txt written"] }),
    "implement → verify: 2 files changed, artifacts/a.txt written",
  );
  assert.equal(told(moved), "implement → verify");
  assert.equal(told({ made: ["src/a.js changed"] }), "implement: src/a.js changed");
  assert.equal(
    told({ from: "review", proposed: "done", to: "done", reason: "Done. 1 check passes" }),
    "review → done: 1 check passes",
  );
});

test("other ends of a pass are given with their reason, and a stop of the runner with its cause", () => {
  const reason = "it says so";
  assert.equal(
    told({ proposed: "done", verdict: "rejected", reason }),
    "the agent asked for done; rejected: it says so",
  );
  assert.equal(told({ proposed: "implement", verdict: "rejected", reason }), "rejected: it says so");
  assert.equal(told({ verdict: "no_progress", reason }), "nothing that counts changed: it says so");
  assert.equal(told({ verdict: "unavailable", reason }), "no model did the work: it says so");
  assert.equal(told({ verdict: "interrupted", reason }), reason);
  const escalation = { cause: "stuck", to: "blocked", blockers: "x", question: null } as const;
  assert.equal(
    told({ verdict: "rejected", reason, escalation }),
    "rejected: it says so; the runner stopped the task: stuck",
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckResult } from "../../lib/rules/check-run.ts";
import { escalate, happenedIn } from "../../lib/rules/escalate.ts";
import { isStuck, stopOfVerdict, stopOutsidePass } from "../../lib/rules/runner-stop.ts";
import { check } from "../pages/sample-task.ts";

const ended = { kind: "exited", exit_code: 0, signal: null, result_event: true } as const;
const failure = { signature: "s", count: 3, passes: [1, 2, 3] };
const spread = { ...failure, passes: [1, 3, 5] };

function redirected(results: readonly CheckResult[]) {
  return stopOfVerdict({
    verdict: "redirected",
    reason: "required checks fail",
    checks: { fingerprint_before: "a", fingerprint_after: "a", attempts: 1, moved: [], results },
    failure,
    end: ended,
    escalation: escalate("stuck", "verify", "3 passes in a row ended the same way (x)"),
  });
}

test("a stop is summed up in a few words: which checks fail, which reason repeats, or what is spent", () => {
  const failed = (...names: string[]) => names.map((name) => check({ name, status: "fail" }));
  const rejected = { verdict: "rejected", reason: "the frame is empty", checks: null, failure, end: ended } as const;
  assert.deepEqual(
    [
      redirected(failed("npm test"))?.happened,
      redirected([check({ name: "tests", status: "fail", failure: { by: "assertion", tests: [], said: "2 !== 3" } })])
        ?.happened,
      redirected([
        check({
          name: "tests",
          status: "fail",
          unmet: "the brief expects at least 12 tests, but its output shows 3 that ran",
          failure: { by: "other", tests: [], said: "# duration_ms 291.4" },
        }),
      ])?.happened,
      redirected([check({ name: "tests", status: "timeout" })])?.happened,
      redirected([check({ name: "lint" }), ...failed("a", "b", "c", "d")])?.happened,
      stopOfVerdict({ ...rejected, escalation: escalate("stuck", "shape", "x") })?.happened,
      stopOfVerdict({ ...rejected, failure: spread, escalation: escalate("stuck", "shape", "x") })?.happened,
      stopOfVerdict({ ...rejected, verdict: "no_progress", escalation: escalate("no_progress", "shape", "x") })
        ?.happened,
      stopOfVerdict({ ...rejected, escalation: escalate("repairs", "review", "all 5 repairs are spent") })?.happened,
      stopOutsidePass(escalate("passes", "shape", "all 12 passes are spent")).happened,
      stopOfVerdict({ ...rejected, escalation: null }),
    ],
    [
      "npm test fails the same way 3 times",
      "tests fails the same way 3 times: 2 !== 3",
      "tests fails the same way 3 times: the brief expects at least 12 tests, but its output shows 3 that ran",
      "tests fails the same way 3 times: it ran out of time",
      "a, b, c and 1 more fail the same way 3 times",
      "3 passes in a row ended the same way: the frame is empty",
      "3 passes ended the same way: the frame is empty",
      "no material progress in 3 passes",
      "all 5 repairs are spent",
      "all 12 passes are spent",
      null,
    ],
  );
});

test("only the same failure and no progress are called stuck", () => {
  const causes = ["stuck", "no_progress", "repairs", "passes", "timeouts", "watched"] as const;
  const stops = causes.filter((cause) => isStuck(stopOutsidePass(escalate(cause, "implement", "x"))));
  assert.deepEqual(stops, ["stuck", "no_progress"]);
});

test("Blockers of another form are taken as they are", () => {
  assert.equal(happenedIn("no key"), "no key");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision, EscalationCause, Verdict } from "../../lib/rules/decision.ts";
import { escalate } from "../../lib/rules/escalate.ts";
import { exitOfAbort, exitOfCall, exitOfVerdict } from "../../lib/rules/exits.ts";
import type { Phase } from "../../lib/rules/phases.ts";

test("the exit of a stop tells its cause, whatever the verdict was", () => {
  const exits: readonly (readonly [EscalationCause, Phase, Decision["exit_name"]])[] = [
    ["stuck", "implement", "no_progress"],
    ["no_progress", "implement", "no_progress"],
    ["timeouts", "implement", "unavailable"],
    ["passes", "implement", "iterations"],
    ["money", "implement", "budget"],
    ["tokens", "implement", "budget"],
    ["time", "implement", "budget"],
    ["no_validators", "verify", "needs_user_decision"],
    ["watched", "verify", "needs_user_decision"],
    ["manual", "review", "needs_user_decision"],
    ["repairs", "verify", "blocked"],
    ["repairs", "review", "needs_user_decision"],
  ];
  for (const [cause, from, exit] of exits) {
    const escalation = escalate(cause, from, "it happened");
    for (const verdict of ["rejected", "redirected", "interrupted"] as const) {
      assert.equal(exitOfVerdict(verdict, escalation.to, escalation), exit, `${cause} from ${from}`);
    }
  }
});

test("without a stop the exit is that of the verdict, and of an accepted one that of where it leads", () => {
  const exits: readonly (readonly [Verdict, Phase, Decision["exit_name"]])[] = [
    ["interrupted", "implement", "paused"],
    ["rejected", "implement", "rejected"],
    ["no_progress", "implement", "no_progress"],
    ["unavailable", "implement", "unavailable"],
    ["redirected", "repair", "ok"],
    ["accepted", "verify", "ok"],
    ["accepted", "done", "ok"],
    ["accepted", "blocked", "blocked"],
    ["accepted", "needs_user_decision", "needs_user_decision"],
  ];
  for (const [verdict, to, exit] of exits) assert.equal(exitOfVerdict(verdict, to, null), exit, `${verdict} ${to}`);
});

test("a stopped call ends with the exit code of the signal, or as paused", () => {
  assert.deepEqual(
    ["SIGINT", "SIGHUP", "SIGTERM", "SKIP", undefined].map((reason) => exitOfAbort(AbortSignal.abort(reason))),
    ["sigint", "sighup", "sigterm", "paused", "paused"],
  );
});

test("an ABORT that came too late to end anything ends the call, unless the task has stopped itself", () => {
  const exit = (verdict: Verdict, to: Phase, aborted: boolean) =>
    exitOfCall({ verdict, to, escalation: null, exit_name: "ok" }, AbortSignal.abort("SIGTERM"), aborted);
  assert.deepEqual(
    [exit("accepted", "verify", true), exit("accepted", "done", true), exit("interrupted", "verify", true)],
    ["paused", "ok", "paused"],
  );
  assert.deepEqual([exit("accepted", "verify", false), exit("interrupted", "verify", false)], ["ok", "sigterm"]);
});

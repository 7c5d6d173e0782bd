import assert from "node:assert/strict";
import { test } from "node:test";
import { pingOutcome, sendPing } from "../../lib/notify/send-ping.ts";
import { type ExitName, exitCodes } from "../../lib/text/exit-codes.ts";
import { receive, redirectTo, target, testPorts } from "./arrange.ts";

test("every orderly end is a success, what a person must repair a failure, and a lock or a signal says nothing", () => {
  const by = (outcome: string) =>
    (Object.keys(exitCodes) as ExitName[]).filter((name) => pingOutcome(name) === outcome);
  assert.deepEqual(
    [by("success"), by("fail"), by("none")],
    [
      [
        "ok",
        "budget",
        "iterations",
        "rejected",
        "blocked",
        "needs_user_decision",
        "no_progress",
        "unavailable",
        "paused",
      ],
      ["failure", "usage", "data", "config"],
      ["locked", "sighup", "sigint", "sigterm"],
    ],
  );
});

test("a success is a GET of the URL, a failure one of the same with /fail at the end of the path", async (t) => {
  const there = await receive(t, 200);
  const ping = async (path: string, outcome: "success" | "fail") =>
    (await sendPing(target({ pingUrl: `${there.origin}${path}` }), outcome, testPorts())).sent;
  assert.deepEqual(
    [
      await ping("/uuid", "success"),
      await ping("/uuid?rid=1", "success"),
      await ping("/uuid", "fail"),
      await ping("/uuid/?rid=1", "fail"),
    ],
    [true, true, true, true],
  );
  assert.deepEqual(
    there.received.map(({ method, path, body, headers }) => [method, path, body, headers["user-agent"]]),
    ["/uuid", "/uuid?rid=1", "/uuid/fail", "/uuid/fail?rid=1"].map((path) => ["GET", path, "", "task-phase/1.2.3"]),
  );
});

test("no URL is called if none is set, or if there is nothing to say", async (t) => {
  const there = await receive(t, 200);
  const nothing = { sent: false, host: null, findings: [] };
  assert.deepEqual(await sendPing(target({}), "success", testPorts()), nothing);
  assert.deepEqual(await sendPing(target({ pingUrl: there.origin }), "none", testPorts()), nothing);
  assert.equal(there.received.length, 0);
});

test("a ping is tried again and follows redirects on its host; a failure is one warning without the URL's path", async (t) => {
  const there = await receive(t, 502, redirectTo("/moved", 301), 200);
  assert.equal((await sendPing(target({ pingUrl: `${there.origin}/key` }), "success", testPorts())).sent, true);
  assert.deepEqual(
    there.received.map(({ path }) => path),
    ["/key", "/key", "/moved"],
  );
  const gone = await receive(t, 404);
  const { findings } = await sendPing(target({ pingUrl: `${gone.origin}/key` }), "fail", testPorts());
  assert.deepEqual(findings, [
    {
      severity: "warning",
      code: "TP_NOTIFY_FAILED",
      message: `the ping was not delivered: ${gone.host} answered 404`,
      file: null,
      line: null,
      column: null,
      fix: "check what answers at `notify.ping` of task-phase.yaml; the verdict is valid, and STATE.md shows it",
    },
  ]);
});

test("a monitor inside the network may be called by plain http without a warning at each tick", async () => {
  const stop = new AbortController();
  stop.abort();
  const ports = testPorts({ signal: stop.signal });
  const { findings } = await sendPing(target({ pingUrl: "http://monitor.lan/x" }), "success", ports);
  assert.deepEqual(
    findings.map(({ code }) => code),
    ["TP_NOTIFY_FAILED"],
  );
});

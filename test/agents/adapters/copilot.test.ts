import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CliError } from "../../../lib/agents/adapters/adapter.ts";
import { copilot } from "../../../lib/agents/adapters/copilot.ts";
import {
  recordedCall as call,
  emptyReport as empty,
  jsonLines as line,
  meaningOf,
  reportOf,
  reportOfOutput,
  type WithoutId,
} from "../recorded.ts";

function read(name: string, exit: Parameters<typeof reportOf>[2] = {}): WithoutId {
  const { sessionId, ...report } = reportOf(copilot, name, exit);
  assert.match(sessionId ?? "", /^[0-9a-f-]{36}$/);
  return report;
}

test("it runs without questions, with every tool, in the repo and the task folder", () => {
  assert.deepEqual(copilot.argv({ ...call, args: ["--model", "m"] }), [
    ...["--output-format", "json", "--no-color", "--no-ask-user", "--allow-all-tools"],
    ...["--session-id=s-1", "--add-dir=/tasks/T-1", "--model", "m"],
  ]);
  assert.equal(copilot.env.COPILOT_AUTO_UPDATE, "false");
});

test("its own folders are where its variables say, and a session's folder and lock are what it leaves there", () => {
  assert.deepEqual(copilot.ownPaths({}, "/home/dev"), ["/home/dev/.copilot", "/home/dev/.cache/copilot"]);
  const env = { COPILOT_HOME: "/data", XDG_CACHE_HOME: "/cache" };
  assert.deepEqual(copilot.ownPaths(env, "/home/dev"), ["/data", "/cache/copilot"]);
  assert.deepEqual(copilot.sessionPaths?.("s-1", env, "/home/dev"), [
    "/data/session-state/s-1",
    "/data/session-state/.session-operation-locks/s-1.lock",
  ]);
  for (const id of ["", ".", ".."]) assert.deepEqual(copilot.sessionPaths?.(id, env, "/home/dev"), []);
});

test("a finished run has its final text and turns; it says neither cost nor tokens", () => {
  assert.deepEqual(read("edit"), { ...empty, ended: true, finalText: "slug() is written.", turns: 6 });
});

test("a run that recovered from a limit is a success, and its tries are counted", () => {
  assert.deepEqual(read("recovered"), { ...empty, ended: true, finalText: "Ready.", turns: 1, retries: 2 });
});

const gaveUp = "Failed to get response from the AI model; retried 5 times (total retry wait time:";
const recordedErrors: readonly (readonly [string, string, Partial<CliError>, number])[] = [
  ["401", "auth", { status: 401, type: "authentication" }, 2],
  [
    "429",
    "rate_limit",
    {
      message: "429 Rate limit reached for requests. Please try again in 3600s.",
      status: 429,
      type: "rate_limit",
      resetAt: 4_600_000,
    },
    0,
  ],
  [
    "quota",
    "quota",
    { message: `${gaveUp} 53.75 seconds) Last error: 429 You exceeded your current quota.`, status: 429 },
    5,
  ],
  [
    "503",
    "overloaded",
    { message: `${gaveUp} 16.37 seconds) Last error: 503 The server is currently overloaded.`, status: 503 },
    5,
  ],
  ["cut", "overloaded", { status: null }, 5],
  ["offline", "overloaded", { status: null, type: "connection_failed" }, 5],
  ["400ctx", "context", { status: 400 }, 0],
];

for (const [name, meaning, expected, retries] of recordedErrors) {
  test(`recorded error ${name}: ${meaning}`, () => {
    const report = read(name, { exitCode: 1 });
    assert.deepEqual([report.ended, report.finalText, report.retries], [false, "", retries]);
    assert.deepEqual({ ...report.error, ...expected }, report.error);
    assert.equal(meaningOf({ ...report, sessionId: null }), meaning);
  });
}

test("a missing login is reported on standard error, before any event", () => {
  const stderrTail = "Error: No authentication information found.\n\nCopilot can be authenticated with GitHub.\n";
  const report = reportOfOutput(copilot, "", { exitCode: 1, stderrTail });
  assert.equal(report.error?.message, "Error: No authentication information found.");
  assert.equal(meaningOf(report), "auth");
  for (const exitCode of [0, null, 143])
    assert.equal(reportOfOutput(copilot, "", { exitCode, stderrTail }).error, null);
});

test("a run that was ended from outside has no result, even if it still prints one", () => {
  const cancelled = { type: "model.call_finished", data: { turnId: "0", outcome: "cancelled" } };
  const idle = { type: "assistant.idle", data: { aborted: true }, ephemeral: true };
  const result = { type: "result", exitCode: 0, sessionId: "s-1" };
  assert.equal(reportOfOutput(copilot, line(cancelled, idle, result), { exitCode: null }).ended, false);
  assert.equal(reportOfOutput(copilot, line({ ...idle, data: {} }, result)).ended, true);
});

test("an error on the way that work follows is none", () => {
  const failed = { type: "session.error", data: { errorType: "query", message: "429 rate limit" } };
  const said = { type: "assistant.message", data: { content: "429 rate limit" } };
  const report = reportOfOutput(copilot, line(failed, said, { type: "result", exitCode: 0 }));
  assert.deepEqual([report.error, report.ended, report.finalText], [null, true, "429 rate limit"]);
});

test("no event makes it throw", () => {
  const type = fc.constantFrom(
    "assistant.message",
    "tool.execution_start",
    "session.error",
    "assistant.turn_retry",
    "result",
    "x",
  );
  const event = fc.record({ type, data: fc.jsonValue(), sessionId: fc.jsonValue() });
  fc.assert(
    fc.property(fc.array(event), fc.constantFrom(0, 1, null), (events, exitCode) => {
      const report = reportOfOutput(copilot, line(...events), { exitCode, stderrTail: "x" });
      assert.equal(typeof report.finalText, "string");
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readMeaning } from "../../../lib/agents/adapters/limits.ts";
import { opencode } from "../../../lib/agents/adapters/opencode.ts";
import {
  recordedCall as call,
  emptyReport as empty,
  jsonLines as lines,
  meaningOf,
  type RecordedReport,
  reportOf,
  reportOfOutput,
  type WithoutId,
  wroteHello,
} from "../recorded.ts";

const wrote: WithoutId = { ...empty, ...wroteHello, costUsd: 0.00873, tokens: { input: 2_400, output: 90 }, turns: 2 };

/** The report, the session's id aside. */
function read(name: string): WithoutId {
  const { sessionId, ...report } = reportOf(opencode, name);
  assert.match(sessionId ?? "", /^ses_\w{26}$/);
  return report;
}

const sessionID = "ses_1";
const started = { type: "step_start", sessionID, part: { type: "step-start" } };
const said = (text: unknown) => ({ type: "text", sessionID, part: { type: "text", text } });
const used = (output: unknown) => ({ type: "tool_use", sessionID, part: { type: "tool", state: { output } } });
const finished = (changes: object = {}) => ({
  type: "step_finish",
  sessionID,
  part: { reason: "stop", cost: 0.25, tokens: { input: 5, output: 1 }, ...changes },
});
const failed = (data: object, name = "APIError") => ({ type: "error", sessionID, error: { name, data } });

function reportOfEvents(...events: readonly object[]): RecordedReport {
  return reportOfOutput(opencode, lines(...events));
}

test("it runs without a terminal, asks nobody, and asks no model for a title", () => {
  const always = ["run", "--format", "json", "--auto", "--print-logs", "--log-level", "ERROR"];
  assert.deepEqual(opencode.argv({ ...call, args: ["--model", "acme/large"] }), [
    ...[...always, "--title", "task-phase"],
    ...["--model", "acme/large"],
  ]);
  assert.deepEqual(opencode.argv({ ...call, args: ["--title=mine"] }), [...always, "--title=mine"]);
  assert.deepEqual(opencode.argv({ ...call, sandboxed: true }), opencode.argv(call));
});

test("no session stays behind, and no copy of the repo", () => {
  assert.equal(opencode.env.OPENCODE_DB, ":memory:");
  assert.equal(opencode.env.OPENCODE_CONFIG_CONTENT, '{"snapshot":false}');
});

test("it writes to four folders of its own, in the home folder or where the variables say", () => {
  assert.deepEqual(opencode.ownPaths({}, "/home/dev"), [
    "/home/dev/.local/share/opencode",
    "/home/dev/.local/state/opencode",
    "/home/dev/.cache/opencode",
    "/home/dev/.config/opencode",
  ]);
  const moved = { XDG_DATA_HOME: "/a", XDG_STATE_HOME: "/b", XDG_CACHE_HOME: "/c", XDG_CONFIG_HOME: "/d" };
  assert.deepEqual(opencode.ownPaths(moved, "/home/dev"), ["/a/opencode", "/b/opencode", "/c/opencode", "/d/opencode"]);
});

test("its list of credentials shows a login; an empty list shows nothing, as a provider may need none", () => {
  const loggedIn = (stdout: string) => opencode.login?.loggedIn({ exitCode: 0, stdout });
  assert.equal(loggedIn("┌  Credentials ~/.local/share/opencode/auth.json\n│\n└  0 credentials\n"), null);
  assert.equal(loggedIn("●  Anthropic api\n│\n└  1 credentials\n"), true);
  assert.equal(
    loggedIn("└  0 credentials\n\n┌  Environment\n●  OpenAI OPENAI_API_KEY\n└  1 environment variable\n"),
    true,
  );
  assert.equal(loggedIn("└  12 credentials\n"), true);
  assert.equal(loggedIn(""), null);
});

test("a finished run has its final text, cost, tokens and calls", () => {
  assert.deepEqual(read("edit"), wrote);
});

test("a run that recovered from a limit is a success; it does not say how often it tried", () => {
  assert.deepEqual(read("recovered"), wrote);
});

const plain = { status: null, type: null, resetAt: null };
const tooFast =
  "Rate limit reached for gpt-5 in organization org-example on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s. Visit https://platform.openai.com/account/rate-limits to learn more.";
const badKey =
  "Incorrect API key provided: dummy. You can find your API key at https://platform.openai.com/account/api-keys.";
const noMoney =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.";
const noRoom =
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 210000 tokens.";
const noConnection =
  "Cannot connect to API: The socket connection was closed unexpectedly. For more information, pass `verbose: true` in the second argument to fetch()";

const recordedErrors = [
  ["401", "auth", { ...plain, message: badKey, status: 401, type: "invalid_api_key" }],
  // Two seconds by its header, counted from the end.
  ["429", "rate_limit", { message: tooFast, status: 429, type: "rate_limit_exceeded", resetAt: 1_002_000 }],
  ["quota", "quota", { ...plain, message: noMoney, status: 429, type: "insufficient_quota" }],
  ["400ctx", "context", { ...plain, message: noRoom, type: "context_length_exceeded" }],
  ["cut", "overloaded", { ...plain, message: noConnection, type: "connection_failed" }],
  [
    "bad-model",
    "other",
    { ...plain, message: "Unexpected server error. Check server logs for details.", type: "UnknownError" },
  ],
] as const;

for (const [name, meaning, error] of recordedErrors) {
  test(`the recording ${name} ended with an error that means ${meaning}`, () => {
    assert.deepEqual(read(name), { ...empty, error });
    assert.equal(meaningOf(reportOf(opencode, name)), meaning);
  });
}

test("ended by a signal it says nothing more; what it said until then came at once", () => {
  for (const name of ["quota-killed", "sigterm"]) {
    assert.deepEqual(reportOf(opencode, name), { ...empty, sessionId: null });
  }
  assert.deepEqual(read("stopped"), { ...empty, finalText: "Running." });
  const cutOff = reportOfEvents(started, said("I begin."), finished({ reason: "tool-calls" }), started);
  assert.deepEqual(cutOff, {
    ...empty,
    sessionId: sessionID,
    costUsd: 0.25,
    tokens: { input: 5, output: 1 },
    turns: 1,
  });
});

test("its spending before an error is kept", () => {
  const report = reportOfEvents(started, finished({ reason: "tool-calls" }), failed({ message: "x", statusCode: 529 }));
  assert.deepEqual(report, {
    ...empty,
    sessionId: sessionID,
    error: { ...plain, message: "x", status: 529, type: "APIError" },
    costUsd: 0.25,
    tokens: { input: 5, output: 1 },
    turns: 1,
  });
  assert.equal(meaningOf(report), "overloaded");
});

test("an error that more work followed is none", () => {
  const report = reportOfEvents(failed({ message: "429", statusCode: 429 }), started, said("done"), finished());
  assert.deepEqual([report.error, report.ended, report.finalText], [null, true, "done"]);
});

test("only the reason `stop` of the last step is a result, and none with an error behind it", () => {
  for (const reason of ["tool-calls", "length", "unknown", 1]) {
    assert.equal(reportOfEvents(started, finished({ reason })).ended, false);
  }
  assert.equal(reportOfEvents(started, finished(), started).ended, false);
  assert.equal(reportOfEvents(started, finished(), { type: "error" }).ended, false);
});

test("the provider's own word for an error is found in its answer, wherever its API has it", () => {
  const type = (body: unknown) => {
    const responseBody = typeof body === "string" ? body : JSON.stringify(body);
    return reportOfEvents(failed({ message: "x", statusCode: 418, responseBody })).error?.type;
  };
  assert.equal(type({ error: { type: "tokens", code: "rate_limit_exceeded" } }), "rate_limit_exceeded");
  assert.equal(type({ type: "error", error: { type: "overloaded_error" } }), "overloaded_error");
  assert.equal(type({ error: { code: 429, status: "RESOURCE_EXHAUSTED" } }), "RESOURCE_EXHAUSTED");
  for (const body of ["<html>429</html>", '{"error":{"type":"rate_l', { error: "rate_limit_error" }, []]) {
    assert.equal(type(body), "APIError");
  }
  const noBody = reportOfEvents(failed({ message: "x", statusCode: 418, isRetryable: true }));
  assert.equal(noBody.error?.type, "APIError");
  const noKey = reportOfEvents(failed({ message: "no key", providerID: "acme" }, "ProviderAuthError"));
  assert.equal(meaningOf(noKey), "auth");
});

test("the reset is taken from the header, in each of its forms, else from the words", () => {
  const resetAt = (responseHeaders: unknown, message = "no words") =>
    reportOfEvents(failed({ message, statusCode: 429, responseHeaders })).error?.resetAt;
  assert.equal(resetAt({ "retry-after": "30" }), 1_030_000);
  assert.equal(resetAt({ "retry-after": "1.5", "retry-after-ms": "250" }), 1_000_250);
  assert.equal(resetAt({ "retry-after": "Sun, 22 Nov 2026 05:00:00 GMT" }), Date.UTC(2026, 10, 22, 5));
  assert.equal(resetAt({ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }), 1_000_000);
  assert.equal(resetAt({ "retry-after": "soon" }, "try again in 4s"), 1_004_000);
  assert.equal(resetAt({ "retry-after": 30, "retry-after-ms": "1e99" }), null);
  assert.equal(resetAt("30"), null);
});

test("words of a limit in answers, tools and plain lines are no error", () => {
  const text = "429 rate limit exceeded, insufficient_quota, retry-after: 30";
  const output = [
    lines(started, said(text), used(text), finished({ reason: "tool-calls" })),
    `${text}\n{"type":"error","error":{"name":"APIError","data":{"statusCode":429\n`,
    lines({ type: "session.limit", error: { name: text } }, { type: "reasoning", part: { text } }),
    lines(started, said(text), finished()),
  ].join("");
  assert.deepEqual(reportOfOutput(opencode, output), {
    ...empty,
    sessionId: sessionID,
    finalText: text,
    ended: true,
    costUsd: 0.5,
    tokens: { input: 10, output: 2 },
    turns: 2,
  });
});

test("all that it said in its last step is its answer, and nothing before", () => {
  const answer = (...events: readonly object[]) => reportOfEvents(...events).finalText;
  assert.equal(answer(started, said("<promise>COMPLETE</promise>"), finished(), started, finished()), "");
  assert.equal(answer(started, said("one"), said("two"), finished()), "one\ntwo");
  assert.equal(answer(started, said(7), finished()), "");
});

test("a cost of 0 is what it says of a model without a price: not known", () => {
  assert.equal(reportOfEvents(started, finished({ cost: 0 })).costUsd, null);
  assert.equal(reportOfEvents(started, finished({ cost: 0 }), started, finished()).costUsd, 0.25);
});

test("numbers that are none, and names that are none, are not known", () => {
  const report = reportOfEvents(
    { ...started, sessionID: "x".repeat(1_000_000) },
    finished({ cost: "0.25", tokens: { input: "5", output: null } }),
    { type: "step_finish" },
  );
  assert.deepEqual(report, { ...empty, sessionId: null, turns: 2 });
  assert.deepEqual(reportOfEvents({ type: "error", error: 1 }).error, { ...plain, message: "" });
  assert.equal(reportOfEvents({ type: "error", error: { name: "Broken" } }).error?.message, "Broken");
});

test("no object makes the reader throw", () => {
  const data = fc.record({ message: fc.jsonValue(), responseBody: fc.jsonValue(), responseHeaders: fc.jsonValue() });
  const event = fc.record({
    type: fc.constantFrom("step_start", "text", "tool_use", "step_finish", "error", "x"),
    part: fc.jsonValue(),
    error: fc.oneof(fc.record({ name: fc.jsonValue(), data: fc.oneof(data, fc.jsonValue()) }), fc.jsonValue()),
  });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const report = reportOfEvents(...events);
      assert.equal(typeof report.finalText, "string");
    }),
  );
});

const logLine = (message: string, error: string) =>
  `timestamp=2026-11-23T03:44:53.810Z level=ERROR run=f18727d2 message="${message}" providerID=scripted modelID=model small=false error.error=${JSON.stringify(error)}`;

test("a refusal in its log is its error if it is ended while it waits, with the time that the provider gave", () => {
  const now = 1_000_000;
  const tell = (message: string, waited = true) => {
    const reader = opencode.openReader();
    const silentMs = reader.errorLine?.(logLine("stream error", `AI_APICallError: ${message}`), now);
    const { error } = reader.report({ exitCode: null, stderrTail: "", now, waited });
    return { silentMs, error, meaning: error === null ? null : readMeaning(error, []) };
  };
  const long = "Rate limit reached for requests. Please try again in 3600s.";
  assert.deepEqual(tell(long), {
    silentMs: 0,
    error: { message: long, status: null, type: null, resetAt: now + 3_600_000 },
    meaning: "rate_limit",
  });
  assert.equal(tell(long, false).error, null);
  assert.deepEqual(
    [tell("You exceeded your current quota.").silentMs, tell('x: "quoted" rate limit').silentMs],
    [0, 600_000],
  );
  assert.equal(tell("Rate limit reached. Please try again in 1s.").silentMs, 600_000);
  assert.equal(tell("The server is currently overloaded.").silentMs, 600_000);
  assert.deepEqual([tell("Bad request: x").silentMs, tell("Bad request: x").error], [null, null]);
});

test("that it printed its usage alone says that it does not know a flag", () => {
  const stderrTail =
    "opencode run [message..]\n\nrun opencode with a message\n\nOptions:\n  --log-level  log level  [ERROR]\n";
  const { error, ended } = opencode.openReader().report({ exitCode: 1, stderrTail, now: 0 });
  assert.deepEqual([error?.message, ended], ["it printed only its usage, as it does for an unknown flag", false]);
  assert.equal(opencode.openReader().report({ exitCode: 0, stderrTail, now: 0 }).error, null);
  assert.equal(opencode.openReader().report({ exitCode: 1, stderrTail: `x ${stderrTail}`, now: 0 }).error, null);
  const { worked, error: later } = reportAfterWork(stderrTail);
  assert.deepEqual([worked, later], [true, null]);
});

function reportAfterWork(stderrTail: string) {
  const reader = opencode.openReader();
  reader.event({ type: "step_start", sessionID: "s-1" });
  return reader.report({ exitCode: 1, stderrTail, now: 0 });
}

test("other lines on standard error say nothing, whatever words are in them", () => {
  const text = "AI_APICallError: Rate limit reached. Please try again in 3600s.";
  for (const line of [
    "",
    text,
    logLine("process", text),
    logLine("stream error", text).replace("level=ERROR", "level=WARN"),
    `message="stream error" error.error="${text}"`,
    logLine("stream error", text).slice(0, -1),
    `${"x".repeat(10_000)}${logLine("stream error", text)}`,
  ]) {
    assert.equal(opencode.openReader().errorLine?.(line, 0), null, line.slice(0, 200));
  }
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import type { CliExit } from "../../../lib/agents/adapters/adapter.ts";
import { gemini } from "../../../lib/agents/adapters/gemini.ts";
import {
  recordedCall as call,
  emptyReport as empty,
  jsonLines as lines,
  meaningOf,
  type RecordedReport,
  recordedPath,
  reportOf,
  reportOfOutput,
  type WithoutId,
  wroteHello,
} from "../recorded.ts";

const always = ["--output-format", "stream-json", "--skip-trust"];

const wrote: WithoutId = { ...empty, ...wroteHello, tokens: { input: 3_000, output: 90 } };
/** The provider refused every call: nothing was spent, and that is known. */
const refused: WithoutId = { ...empty, tokens: { input: 0, output: 0 } };

function stderrOf(name: string): string {
  return readFileSync(recordedPath("gemini", name).replace(/jsonl$/, "stderr"), "utf8");
}

/** The report of a recording with the code that it ended with, the session's id aside. */
function read(name: string, exitCode: number): WithoutId {
  const { sessionId, ...report } = reportOf(gemini, name, { exitCode, stderrTail: stderrOf(name) });
  assert.match(sessionId ?? "", /^[0-9a-f-]{36}$/);
  return report;
}

function reportOfEvents(events: readonly object[], exit: Partial<CliExit> = {}): RecordedReport {
  return reportOfOutput(gemini, lines(...events), exit);
}

const said = (content: unknown, role = "assistant") => ({ type: "message", role, content, delta: true });
const success = { type: "result", status: "success", stats: { input_tokens: 5, output_tokens: 1 } };
const failed = (message: unknown) => ({ type: "result", status: "error", error: { type: "unknown", message } });

test("it runs without a terminal, with all its tools, in a folder that nobody trusted yet; the task folder is one of its own", () => {
  const yolo = ["--approval-mode", "yolo"];
  assert.deepEqual(gemini.argv({ ...call, args: ["-m", "pro"] }), [
    ...[...always, ...yolo, "--include-directories", "/tasks/T-1"],
    ...["-m", "pro"],
  ]);
  assert.deepEqual(gemini.argv({ ...call, sandboxed: true }), gemini.argv(call));
});

test("another approval mode in the configuration's args stands alone: gemini refuses two", () => {
  for (const args of [["--approval-mode=auto_edit"], ["-y"], ["--yolo"]]) {
    assert.deepEqual(gemini.argv({ ...call, args }), [...always, "--include-directories", "/tasks/T-1", ...args]);
  }
});

test("it writes below its own folder, in the home folder or where its variable says; it has no question for a login", () => {
  assert.deepEqual(gemini.ownPaths({}, "/home/dev"), ["/home/dev/.gemini"]);
  assert.deepEqual(gemini.ownPaths({ GEMINI_CLI_HOME: "/data" }, "/home/dev"), ["/data/.gemini"]);
  assert.equal(gemini.login, null);
});

test("a finished run has its final text and tokens, never the prompt; its cost is not known", () => {
  assert.deepEqual(read("edit", 0), wrote);
});

test("a run that recovered from a limit is a success, and its tries are counted", () => {
  assert.deepEqual(read("recovered", 0), { ...wrote, retries: 2 });
});

test("a run that it ended since it went in circles is a result", () => {
  assert.deepEqual(read("loop", 0), { ...wrote, finalText: "Working.Working.", tokens: { input: 6_000, output: 180 } });
});

const apiError = { type: "unknown", resetAt: null };
const limitWords =
  "Please wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method";
const plainQuota = "You exceeded your current quota, please check your plan and billing details. Please retry in 1s.";
const tooLong = "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).";

const recordedErrors = [
  [
    "401",
    144,
    "auth",
    { ...apiError, message: "API key not valid. Please pass a valid API key.", status: 400, type: "INVALID_ARGUMENT" },
    0,
  ],
  [
    "quota",
    173,
    "quota",
    {
      ...apiError,
      message: `[API Error: You have exhausted your daily quota on this model.]\n${limitWords}`,
      status: 429,
    },
    0,
  ],
  [
    "429",
    173,
    "rate_limit",
    {
      ...apiError,
      message: `[API Error: ${plainQuota}\nSuggested retry after 1s.]\n${limitWords}`,
      status: 429,
      // "retry in 1s", counted from the end.
      resetAt: 1_001_000,
    },
    3,
  ],
  [
    "503",
    247,
    "overloaded",
    { ...apiError, message: "[API Error: The model is overloaded. Please try again later.]", status: 503 },
    3,
  ],
  ["400ctx", 144, "context", { ...apiError, message: tooLong, status: 400, type: "INVALID_ARGUMENT" }, 0],
] as const;

for (const [name, exitCode, meaning, error, retries] of recordedErrors) {
  test(`the recording ${name} ended with an error that means ${meaning}; its code is the status without its ninth bit`, () => {
    const report = read(name, exitCode);
    assert.deepEqual(report, { ...refused, error, retries });
    assert.equal(meaningOf({ ...report, sessionId: null }), meaning);
  });
}

test("a provider that cannot be reached is no limit of the task, and what was not counted is not known", () => {
  const report = read("cut", 1);
  const message = "[API Error: exception TypeError: fetch failed sending request]";
  assert.deepEqual(report, { ...empty, error: { ...apiError, message, status: null }, retries: 3 });
  assert.equal(meaningOf({ ...report, sessionId: null }), "overloaded");
});

test("of an answer of the provider that stands as JSON in a message, however deep, the words are shown", () => {
  const inner = { error: { code: 429, message: "Slow down.\nPlease retry in 1s.", status: "RESOURCE_EXHAUSTED" } };
  const deep = { error: { message: JSON.stringify(inner), code: 429, status: "Too Many Requests" } };
  const words = { message: inner.error.message, status: 429, type: "RESOURCE_EXHAUSTED", resetAt: 1_001_000 };
  for (const said of [inner, deep].map((value) => JSON.stringify(value))) {
    for (const message of [said, `[API Error: ${said}]\n${limitWords}`]) {
      const result = `${JSON.stringify({ type: "result", status: "error", error: { type: "Error", message } })}\n`;
      const report = reportOfOutput(gemini, result, { exitCode: 173, stderrTail: "", now: 1_000_000 });
      assert.deepEqual(report.error, words);
    }
    const fatal = JSON.stringify({ error: { type: "Error", message: said, code: 429 } }, null, 2);
    const report = reportOfOutput(gemini, "", { exitCode: 1, stderrTail: fatal, now: 1_000_000 });
    assert.deepEqual(report.error, words);
  }
});

test("a bound that a person set is a result with its tokens, and no limit", () => {
  const report = read("max-turns", 53);
  const message =
    "Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.";
  const error = { message, status: null, type: "FatalTurnLimitedError", resetAt: null };
  assert.deepEqual(report, { ...empty, error, tokens: { input: 1_500, output: 45 } });
  assert.equal(meaningOf({ ...report, sessionId: null }), "other");
});

test("a missing login is reported in plain words and by the exit code, before any event", () => {
  const report = reportOf(gemini, "no-key", { exitCode: 41, stderrTail: stderrOf("no-key") });
  const message =
    "When using Gemini API, you must specify the GEMINI_API_KEY environment variable. Update your environment and try again (no reload needed if using .env)!";
  const error = { message, status: null, type: "FatalAuthenticationError", resetAt: null };
  assert.deepEqual(report, { ...empty, sessionId: null, error });
  assert.equal(meaningOf(report), "auth");
  const stderrTail = "YOLO mode is enabled.\n\nInvalid auth method selected.\n";
  assert.equal(reportOfEvents([], { exitCode: 41, stderrTail }).error?.message, "Invalid auth method selected.");
  // With an event it is the event that counts.
  assert.deepEqual(reportOfEvents([failed("x")], { exitCode: 41, stderrTail }).error?.message, "x");
});

test("ended by a signal it exits with 0 and says nothing more: that is no result", () => {
  assert.deepEqual(read("sigterm", 0), empty);
});

test("an error that it reports as a JSON object at the end of standard error counts like one in an event", () => {
  const object = (error: object) =>
    `Attempt 1 failed: 429\n    at main {\n  status: 429\n}\n${JSON.stringify({ session_id: "s", error }, null, 2)}\n`;
  const errorOf = (stderrTail: string, exitCode: number) => reportOfEvents([], { exitCode, stderrTail, now: 0 }).error;
  const message = "You exceeded your current quota. Please retry in 2s.";
  const limit = { message, status: 429, type: "Error", resetAt: 2_000 };
  assert.deepEqual(errorOf(object({ type: "Error", message, code: 429 }), 173), limit);
  assert.deepEqual(errorOf(object({ type: "Error", message }), 173), limit);
  assert.equal(meaningOf({ ...empty, sessionId: null, error: limit }), "rate_limit");
  const turns = object({ type: "FatalTurnLimitedError", message: "Reached max session turns.", code: 53 });
  const turnLimit = {
    message: "Reached max session turns.",
    status: null,
    type: "FatalTurnLimitedError",
    resetAt: null,
  };
  assert.deepEqual(errorOf(turns, 53), turnLimit);
  assert.equal(meaningOf({ ...empty, sessionId: null, error: turnLimit }), "other");
  assert.equal(
    errorOf(object({ type: "Error", message: "Set an Auth method", code: 41 }), 41)?.message,
    "Set an Auth method",
  );
  assert.equal(errorOf(`${object({ type: "Error", message, code: 429 })}and went on\n`, 1), null);
  assert.equal(errorOf('{\n  "error": "429"\n}\n', 1), null);
});

test("an exit code without an event is no error, whatever the words on standard error", () => {
  const stderrTail = "429 rate limit exceeded\n";
  for (const exitCode of [0, 1, 42, 52, 55, 143, 173, null]) {
    assert.deepEqual(reportOfEvents([], { exitCode, stderrTail }).error, null);
  }
});

test("an answer that was empty or blocked has its reason in the warning before it", () => {
  const warning = { type: "error", severity: "error", message: "The model returned an empty response." };
  const report = reportOfEvents([warning, { type: "result", status: "error" }]);
  assert.deepEqual(report.error, {
    message: "The model returned an empty response.",
    status: null,
    type: null,
    resetAt: null,
  });
  const bare = reportOfEvents([{ type: "result", status: "error" }]);
  assert.deepEqual(bare.error, { message: "", status: null, type: null, resetAt: null });
});

test("only codes that can be a status are one", () => {
  const status = (exitCode: number | null) => reportOfEvents([failed("x")], { exitCode }).error?.status;
  assert.deepEqual([144, 173, 255].map(status), [400, 429, 511]);
  assert.deepEqual([0, 1, 53, 130, 143, 256, null].map(status), [null, null, null, null, null, null, null]);
});

test("words of a limit in answers, tools, warnings and plain lines are no error", () => {
  const text = "[API Error: 429 rate limit exceeded, RESOURCE_EXHAUSTED, retry in 5s]";
  const output = [
    lines(said(text), { type: "tool_use", parameters: { command: text } }, { type: "tool_result", output: text }),
    `${text}\n{"type":"result","status":"error","error":{"mess\n`,
    lines({ type: "error", severity: "warning", message: text }, { type: "limit", message: text }),
    lines(said(text), success),
  ].join("");
  assert.deepEqual(reportOfOutput(gemini, output, { stderrTail: `Attempt 1 failed: ${text}` }), {
    ...empty,
    sessionId: null,
    finalText: text,
    ended: true,
    tokens: { input: 5, output: 1 },
  });
});

test("a message before its last tool is not its answer, and the prompt never is", () => {
  const tool = { type: "tool_use", tool_name: "write_file" };
  const answer = (...events: readonly object[]) => reportOfEvents(events).finalText;
  assert.equal(answer(said("<promise>COMPLETE</promise>"), tool, success), "");
  assert.equal(answer(said("I begin."), tool, said("do"), said("ne"), success), "done");
  assert.equal(answer(said("<promise>COMPLETE</promise>", "user"), success), "");
  assert.equal(answer(said(7), said(null), success), "");
});

test("numbers that are none, and names that are none, are not known", () => {
  const init = { type: "init", session_id: "a\u0007b" };
  const report = reportOfEvents([init, { ...success, stats: { input_tokens: "5", output_tokens: Number.NaN } }]);
  assert.deepEqual(report, { ...empty, sessionId: null, ended: true });
  assert.deepEqual(reportOfEvents([{ type: "result", status: "success", stats: 3 }]).tokens, empty.tokens);
});

test("of a very long answer its end is kept", () => {
  const long = said(`${"x".repeat(300_000)}<promise>`);
  const { finalText } = reportOfEvents([said("begun"), long, said("COMPLETE</promise>"), success]);
  assert.ok(finalText.length < 200_000, `${finalText.length}`);
  assert.ok(finalText.endsWith("x<promise>COMPLETE</promise>"));
});

test("no object makes the reader throw", () => {
  const event = fc.record({
    type: fc.constantFrom("init", "message", "tool_use", "error", "result", "x"),
    role: fc.constantFrom("assistant", "user", 3),
    status: fc.constantFrom("error", "success", null),
    content: fc.jsonValue(),
    error: fc.jsonValue(),
    message: fc.jsonValue(),
    stats: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.array(event), fc.constantFrom(0, 1, 41, 173, null), (events, exitCode) => {
      const report = reportOfEvents(events, { exitCode, stderrTail: "x" });
      assert.equal(typeof report.finalText, "string");
    }),
  );
});

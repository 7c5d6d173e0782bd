import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { qwen, readQwenLog } from "../../../lib/agents/adapters/qwen.ts";
import {
  recordedCall as call,
  emptyReport as empty,
  jsonLines as line,
  meaningOf,
  recordedPath,
  reportOf,
  reportOfOutput,
  type WithoutId,
} from "../recorded.ts";

function read(name: string, exit: Parameters<typeof reportOf>[2] = {}): WithoutId {
  const { sessionId, ...report } = reportOf(qwen, name, exit);
  assert.match(sessionId ?? "", /^[0-9a-f-]{36}$/);
  return report;
}

const always = ["--output-format", "stream-json", "--chat-recording=false", "--session-id=s-1"];

test("it runs without questions and without a session, and may write to the task folder", () => {
  const own = [...always, "--approval-mode", "yolo", "--add-dir=/tasks/T-1"];
  assert.deepEqual(qwen.argv({ ...call, args: ["-m", "m"] }), [...own, "-m", "m"]);
  for (const args of [["-y"], ["--yolo"], ["--approval-mode", "auto-edit"]])
    assert.deepEqual(qwen.argv({ ...call, args }), [...always, "--add-dir=/tasks/T-1", ...args]);
});

test("its own folders and the log of a session are where its variables say, and the log is what a session leaves", () => {
  assert.deepEqual(qwen.ownPaths({}, "/home/dev"), ["/home/dev/.qwen"]);
  assert.deepEqual(qwen.ownPaths({ QWEN_HOME: "/q", QWEN_RUNTIME_DIR: "/r" }, "/home/dev"), ["/q", "/r"]);
  for (const [env, path] of [
    [{}, "/home/dev/.qwen/debug/s-1.txt"],
    [{ QWEN_HOME: "/q" }, "/q/debug/s-1.txt"],
    [{ QWEN_HOME: "/q", QWEN_RUNTIME_DIR: "/r" }, "/r/debug/s-1.txt"],
  ] as const) {
    assert.equal(qwen.errorLog?.("s-1", env, "/home/dev"), path);
    assert.deepEqual(qwen.sessionPaths?.("s-1", env, "/home/dev"), [path]);
  }
  assert.equal(qwen.env.QWEN_DEBUG_LOG_FILE, "1");
});

test("ended while it waits, the refusal in its log is its error, whatever it says of being ended", () => {
  const reader = qwen.openReader();
  reader.event({ type: "system", subtype: "init", session_id: "s-1" });
  for (const text of readFileSync(recordedPath("qwen", "retry-after", "log"), "utf8").split("\n"))
    reader.errorLine?.(text, 1_000_000);
  assert.deepEqual(
    [
      { type: "system", subtype: "retry" },
      { type: "system", subtype: "init" },
    ].map((event) => reader.isRetry?.(event)),
    [true, false],
  );
  reader.event({ type: "result", subtype: "error_during_execution", is_error: true, error: { message: "cancelled" } });
  const { ended, error } = reader.report({ exitCode: 130, stderrTail: "", now: 2_000_000, waited: true });
  const message = "429 Rate limit reached for requests. Please try again in 600s.";
  assert.deepEqual({ ended, error }, { ended: false, error: { message, status: 429, type: null, resetAt: 1_600_000 } });
  const { error: own } = reader.report({ exitCode: 1, stderrTail: "", now: 2_000_000 });
  assert.equal(own?.message, "cancelled");
});

test("a finished run has its final text, tokens and turns", () => {
  const done = { ...empty, ended: true };
  assert.deepEqual(read("edit"), {
    ...done,
    finalText: "slug() is written.",
    tokens: { input: 7_200, output: 300 },
    turns: 6,
  });
  assert.deepEqual(read("recovered"), {
    ...done,
    finalText: "Ready.",
    tokens: { input: 2_400, output: 100 },
    turns: 1,
  });
});

test("the provider's refusal is its error, without the brackets around it", () => {
  const refused = { ...empty, tokens: { input: 0, output: 0 }, turns: 1 };
  const tooLong =
    "400 This model's maximum context length is 200000 tokens. However, your messages resulted in 210000 tokens.";
  for (const [name, message, status, meaning] of [
    ["401", "401 Incorrect API key provided: dummy.", 401, "auth"],
    ["400ctx", tooLong, 400, "context"],
  ] as const) {
    const report = read(name, { exitCode: 1 });
    assert.deepEqual(report, { ...refused, error: { message, status, type: null, resetAt: null } });
    assert.equal(meaningOf({ ...report, sessionId: null }), meaning);
  }
});

test("an answer that is cut off again and again is no result, and its tokens are not known", () => {
  const report = read("cut", { exitCode: 1 });
  assert.deepEqual([report.ended, report.finalText, report.tokens], [false, "", { input: null, output: null }]);
  assert.equal(meaningOf({ ...report, sessionId: null }), "overloaded");
});

test("its own tries are counted, and while it waits it says nothing else", () => {
  assert.deepEqual(read("waits"), { ...empty, retries: 1 });
});

test("a bound that a person set is a result, and no limit", () => {
  const stderrTail = "Warning: x\nReached max session turns for this session. Increase the number of turns.\n";
  const report = read("max-turns", { exitCode: 53, stderrTail });
  assert.deepEqual(
    [report.ended, report.error?.type, report.error?.message],
    [true, "error_max_turns", "Reached max session turns for this session. Increase the number of turns."],
  );
  assert.equal(meaningOf({ ...report, sessionId: null }), "other");
});

test("a missing login is reported before any event of the model", () => {
  const message = "No auth type is selected. Please configure an auth type (e.g. via settings or `--auth-type`).";
  const output = line({ type: "result", subtype: "error_during_execution", is_error: true, error: { message } });
  assert.equal(meaningOf(reportOfOutput(qwen, output, { exitCode: 1 })), "auth");
});

test("an agent that writes like an error of the provider has worked, and made no error", () => {
  const text = "[API Error: 429 rate limit]";
  const message = { content: [{ type: "text", text }], usage: { output_tokens: 12 } };
  const output = line({ type: "assistant", message }, { type: "result", is_error: false, result: text });
  assert.deepEqual(reportOfOutput(qwen, output), { ...empty, ended: true, finalText: text, sessionId: null });
});

test("no event makes it throw", () => {
  const value = fc.oneof(fc.constantFrom("assistant", "result", "system", "retry"), fc.jsonValue());
  const event = fc.record({
    type: value,
    subtype: value,
    message: fc.jsonValue(),
    error: fc.jsonValue(),
    is_error: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.array(event), fc.constantFrom(0, 1, 53, null), (events, exitCode) => {
      const report = reportOfOutput(qwen, line(...events), { exitCode, stderrTail: "x" });
      assert.equal(typeof report.finalText, "string");
    }),
  );
});

const now = 1_000_000;

/** The lines at which it may be silent no longer than so many milliseconds, and the refusal that is known then. */
function waitsIn(text: string) {
  const log = readQwenLog();
  return text.split("\n").flatMap((line) => {
    const silentMs = log.takeLine(line, now);
    return silentMs === null ? [] : [{ line, silentMs, refused: log.refused }];
  });
}

const recorded = (name: string) => readFileSync(recordedPath("qwen", name, "log"), "utf8");
const error = { status: 429, type: null, resetAt: null };

test("a provider that says when to come back: the time is in the log before the CLI begins to wait", () => {
  const message = "429 Rate limit reached for requests. Please try again in 600s.";
  assert.deepEqual(waitsIn(recorded("retry-after")), [
    { line: `} Error: ${message}`, silentMs: 2_000, refused: { ...error, message, resetAt: now + 600_000 } },
  ]);
});

test("a limit that names no end is waited for until the tries are used up and the pauses become minutes", () => {
  const message = "429 Rate limit reached for requests.";
  assert.deepEqual(waitsIn(recorded("backoff")), [
    { line: "  retryDelayMs: 60000,", silentMs: 2_000, refused: { ...error, message } },
  ]);
});

test("an empty account is not waited for", () => {
  const message = "429 You exceeded your current quota.";
  const [first] = waitsIn(recorded("quota"));
  assert.deepEqual(first, { line: `} Error: ${message}`, silentMs: 2_000, refused: { ...error, message } });
});

const head = "2026-11-23T06:12:32.231Z [WARN] [RETRY] ";
const attempt = "Attempt 1 failed with status 429. Retrying after explicit delay of 600000ms... {";

test("a header alone names the wait, and a trace may stand in the line", () => {
  const traced = `${head}[trace_id=0af7 span_id=b9c7] Attempt 3 failed with status 503. Retrying after explicit delay of 90000ms... {`;
  const [wait] = waitsIn(`${traced}\n} Error: 503 Service unavailable`);
  assert.equal(wait?.refused?.resetAt, now + 90_000);
  assert.deepEqual(waitsIn(`${head}${attempt.replace("600000", "59999")}\n} Error: 429 Too many requests`), []);
});

test("no other line of the log is a refusal, with any words", () => {
  const words = "} Error: 429 Rate limit reached. Please try again in 600s.";
  for (const text of [
    words,
    `${attempt}\n${words}`,
    `${head.replace("RETRY", "SHELL")}${attempt}\n${words}`,
    `  ${head}${attempt}\n${words}`,
    `${head}${attempt}\n2026-11-23T06:12:33.000Z [DEBUG] [X] y\n${words}`,
    `${head}${attempt.replace(" with status 429", "")}\n} Error: ENOENT: no such file`,
    `${head.replace("RETRY", "QWEN_CODE_CHAT")}Rate limit retry scheduled {\n  retryDelayMs: 60000,`,
    "  retryDelayMs: 60000,",
    `${"x".repeat(3_000)}${head}${attempt}\n${words}`,
  ]) {
    assert.deepEqual(waitsIn(text), [], text.slice(0, 200));
  }
});

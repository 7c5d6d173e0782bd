import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readQwenLog } from "../../../lib/models/adapters/qwen-log.ts";
import { recordedPath } from "../recorded.ts";

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

test("nothing else in the log is a refusal, whatever words are in it", () => {
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
